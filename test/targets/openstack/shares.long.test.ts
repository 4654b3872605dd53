import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

/** A world with the names of the projects `other` and `admin`. */
async function started() {
  const world = await CloudWorld.start();
  const [other, admin] = ["other", "admin"].map((name) => world.lab.world.as(name).projectId ?? "") as [string, string];
  const of = (said: string) =>
    `networks: { web: { ${said}subnets: { web-a: { cidr: 10.5.0.0/24 } } } }\nsubnetpools: { inner: { prefixes: [10.6.0.0/24], ${said}} }\nsecurity_groups: { web: { ${said}} }\n`;
  return { world, other, admin, of };
}

const shares = ({ lab }: CloudWorld): string[] =>
  lab.world.network
    .all("rbac_policy")
    .map(({ object_type, target_tenant }) => `${object_type} ${target_tenant}`)
    .sort();
const all = (...projects: string[]) =>
  projects.flatMap((project) => ["network", "security_group", "subnetpool"].map((type) => `${type} ${project}`)).sort();

const idOf = ({ lab }: CloudWorld, kind: "network" | "security_group", name = "web") =>
  lab.world.network.all(kind).find((each) => each.name === name)?.id ?? "";

function shareByHand(world: CloudWorld, target_tenant: string, object_type = "network" as "network" | "security_group"): number {
  const rbac_policy = { object_type, object_id: idOf(world, object_type), action: "access_as_shared", target_tenant };
  return world.act("POST", "/v2.0/rbac-policies", { rbac_policy }).status;
}

describe("shares", () => {
  it("are created with the object, seen by the other project, changed in place and removed; no difference remains", async () => {
    const { world, other, admin, of } = await started();
    world.want(of(`shared_with: [${other}], `));
    await world.reconciled();
    expect(shares(world)).toEqual(all(other));
    expect(world.act("GET", `/v2.0/networks/${idOf(world, "network")}`, undefined, "other").body).toMatchObject({
      network: { shared: true },
    });
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
    world.want(of(`description: d, shared_with: [${other}, ${admin}], `));
    await world.reconciled();
    expect(shares(world)).toEqual(all(other, admin));
    world.want(of(`shared_with: [${admin}], `));
    await world.reconciled();
    expect(shares(world)).toEqual(all(admin));
    world.want(of(`shared_with: { $exclude: [${admin}] }, `));
    await world.reconciled();
    expect(shares(world)).toEqual([]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are drift in an exclusive list: one added is deleted, one removed is created again", async () => {
    const { world, other, admin, of } = await started();
    world.want(of(`shared_with: [${other}], `));
    await world.reconciled();
    expect(shareByHand(world, admin)).toBe(201);
    const [policy] = world.lab.world.network.all("rbac_policy").filter(({ object_type }) => object_type === "security_group");
    world.act("DELETE", `/v2.0/rbac-policies/${policy?.id}`);
    expect(changed(await world.drift())).toEqual([
      "differs /openstack/networks/entry[@name='web']/shared_with",
      "missing /openstack/security_groups/entry[@name='web']/shared_with",
    ]);
    await world.reconciled();
    expect(shares(world)).toEqual(all(other));
    // Declared or not, a share of another user remains.
    world.want(of(`shared_with: { $include: [${other}] }, `));
    shareByHand(world, admin);
    expect(changed(await world.drift())).toEqual([]);
    await world.reconciled();
    world.want("networks: { web: { subnets: { web-a: { cidr: 10.5.0.0/24 } } } }");
    shareByHand(world, "7a0f1d11111141118111111111111111");
    expect(changed(await world.drift()).filter((each) => each.includes("7a0f"))).toEqual([]);
    await world.reconciled();
    expect(shares(world)).toContain(`network ${admin}`);
  });

  it("that the other project uses are refused with the service's text, and do not block anything else", async () => {
    const { world, other, of } = await started();
    world.want(of(`shared_with: [${other}], `));
    await world.reconciled();
    world.act("POST", "/v2.0/ports", { port: { network_id: idOf(world, "network"), name: "theirs" } }, "other");
    world.want(of(`shared_with: { $exclude: [${other}] }, `));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("cannot be removed because other objects depend on it");
    expect(shares(world)).toEqual([`network ${other}`]);
  });

  it("with an invalid project id are refused before a request", async () => {
    const { world, of } = await started();
    world.want(of("shared_with: [nobody], "));
    await expect(world.reconcile()).rejects.toThrow('"nobody" is not a UUID');
    expect(world.writesSince(0)).toEqual([]);
  });

  it("of which another user created one a second before are created once; a full quota is reported and the next run continues", async () => {
    const { world, other, admin, of } = await started();
    world.want(of(""));
    await world.reconciled();
    world.want(of(`shared_with: [${other}], `));
    const rbac_policy = { object_type: "network", object_id: idOf(world, "network"), action: "access_as_shared", target_tenant: other };
    const act = { service: "network", method: "POST", path: "/v2.0/rbac-policies", user: "demo", body: { rbac_policy } } as const;
    world.lab.fault({ match: { method: "POST", path: "rbac-policies" }, effect: { kind: "act", act } });
    await world.reconciled();
    expect(shares(world)).toEqual(all(other));
    const project = world.lab.world.as("demo").projectId;
    world.act("PUT", `/v2.0/quotas/${project}`, { quota: { rbac_policy: 4 } }, "admin");
    world.want(of(`shared_with: [${other}, ${admin}], `));
    expect((await world.reconcile()).error?.message).toContain("Quota exceeded for resources: ['rbac_policy']");
    world.act("PUT", `/v2.0/quotas/${project}`, { quota: { rbac_policy: 10 } }, "admin");
    await world.reconciled();
    expect(shares(world)).toEqual(all(other, admin));
  });

  it.each([
    [404, "HTTPNotFound"],
    [403, "PolicyNotAuthorized"],
  ])(
    "in a cloud that answers %i where they are listed: everything else is read, and a share that is declared is told",
    async (status, type) => {
      const { world, other, of } = await started();
      const refusal = { kind: "refuse" as const, status, type, message: "no." };
      world.lab.fault({ match: { path: "/rbac-policies" }, effect: refusal, count: 100 });
      world.want(of(""));
      await world.reconciled();
      world.want(of(`shared_with: [${other}], `));
      expect((await world.reconcile()).error?.message).toContain("does not support sharing");
    },
  );

  it("let a project use objects shared by others by name, and never take them", async () => {
    const { world } = await started();
    const demo = world.lab.world.as("demo").projectId ?? "";
    const { security_group: group } = world.act("POST", "/v2.0/security-groups", { security_group: { name: "theirs" } }, "other").body as {
      security_group: { id: string };
    };
    const rbac_policy = { object_type: "security_group", object_id: group.id, action: "access_as_shared", target_tenant: demo };
    world.act("POST", "/v2.0/rbac-policies", { rbac_policy }, "other");
    world.want(
      "networks: { web: { subnets: { web-a: { cidr: 10.5.0.0/24 } } } }\nports: { p: { network: web, security_groups: [theirs] } }",
    );
    await world.reconciled();
    expect(world.lab.world.network.all("port").find(({ name }) => name === "p")?.security_groups).toEqual([group.id]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it.each([4, 5, 9, 13])("a run killed after write %i is continued from a new clone: one of each", async (atWrite) => {
    const { world, other, of } = await started();
    world.want(of(`shared_with: [${other}], `));
    world.death = { atWrite, when: "after" };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(shares(world)).toEqual(all(other));
    expect(changed(await world.plan())).toEqual([]);
  });
});
