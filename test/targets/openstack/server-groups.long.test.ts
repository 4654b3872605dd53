import { describe, expect, it } from "vitest";
import type { Server } from "../../../src/lab/openstack/compute/server.js";
import type { ServerGroup } from "../../../src/lab/openstack/compute/server-groups.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const NETWORK = "networks: { n: { subnets: { s: { cidr: 10.8.0.0/24 } } } }\n";
const APART = "apart: { policy: anti-affinity, rules: { max_server_per_host: 2 } }";
const groups = (...each: string[]) => `server_groups: { ${each.join(", ")} }\n`;
const web = (more: string, name = "web") => `${name}: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} }`;
const servers = (...each: string[]) => `servers: { ${each.join(", ")} }\n`;
const DECLARED = NETWORK + groups(APART, "near: { policy: soft-affinity }") + servers(web(", server_group: apart"), web("", "free"));

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();
const refused = (outcome: TargetOutcome) => outcome.plan?.refusals.map(({ guard, path }) => `${guard} ${path}`);

const standingGroups = ({ lab }: CloudWorld): ServerGroup[] => lab.world.compute.groups.of(lab.world.as("demo").projectId);
const idOf = (world: CloudWorld, name: string) => standingGroups(world).find((each) => each.name === name)?.id ?? "";
const members = (world: CloudWorld, name: string) =>
  world.lab.world.compute.membersOf(idOf(world, name)).map((id) => serversOf(world).find((each) => each.id === id)?.name);
const serversOf = ({ lab }: CloudWorld): Server[] => lab.world.compute.servers(lab.world.as("demo").projectId);
const at = (name: string, list = "server_groups") => `/openstack/${list}/entry[@name='${name}']`;

/** An object of another user, with Plumbline's account or that of another member of the project. */
function made(world: CloudWorld, name: string, policy = "affinity", user = "demo"): string {
  const body = { server_group: { name, policies: [policy] } };
  const { text } = world.lab.act({ service: "compute", method: "POST", path: "/v2.1/os-server-groups", body, user, project: "demo" });
  return JSON.parse(text).server_group.id;
}

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

describe("server groups", () => {
  it("are created before their servers, owned by the ledger on any machine, and deleted after them", async () => {
    const world = await standing();
    expect(standingGroups(world)).toMatchObject([
      { name: "apart", policy: "anti-affinity", maxServerPerHost: 2 },
      { name: "near", policy: "soft-affinity", maxServerPerHost: undefined },
    ]);
    expect([members(world, "apart"), members(world, "near")]).toEqual([["web"], []]);
    const since = world.lab.journal.length;
    expect(changed(await world.cloneAnew().reconciled())).toEqual([]);
    world.want(NETWORK);
    await world.reconciled();
    expect([standingGroups(world), serversOf(world)]).toEqual([[], []]);
    expect(world.writesSince(since).slice(-2)).toEqual(["DELETE /v2.1/servers/ID", "DELETE /v2.1/os-server-groups/ID"]);
  });

  it("of old services have hard policies, and show no rules and no creator", async () => {
    const world = await CloudWorld.start();
    world.want(NETWORK + groups("near: { policy: affinity }") + servers(web(", server_group: near")));
    world.lab.fault({ match: { path: "/os-server-groups" }, effect: { kind: "status", status: 406 } });
    await world.reconciled();
    expect(members(world, "near")).toEqual(["web"]);
  });

  it("are read to the end of a list that the service truncates silently", async () => {
    const world = await standing();
    const before = changed(await world.plan());
    world.lab.world.compute.pageMaximum = 1;
    expect(changed(await world.plan())).toEqual(before);
  });

  it("keep their policy: another one is another group, refused while it has remaining servers", async () => {
    const world = await standing();
    const soft = (more: string, ofServer = "") =>
      NETWORK +
      groups(`apart: { policy: soft-anti-affinity${more} }`, "near: { policy: soft-affinity }") +
      servers(web(`, server_group: apart${ofServer}`), web("", "free"));
    for (const documents of [
      soft(""),
      DECLARED.replace("max_server_per_host: 2", "max_server_per_host: 3"),
      DECLARED.replace(/, rules.*?}/, ""),
    ]) {
      world.want(documents);
      expect(refused(await world.plan())).toEqual([`replace ${at("apart")}`]);
    }
    world.want(soft(", $replace: true"));
    const inUse = await world.plan();
    expect(exitCode([inUse])).toBe(3);
    expect(JSON.stringify(inUse.plan?.refusals)).toContain("web");
    const [before] = serversOf(world).filter(({ name }) => name === "web");
    world.want(soft(", $replace: true", ", $replace: true"));
    await world.reconciled();
    expect(standingGroups(world).find(({ name }) => name === "apart")).toMatchObject({ policy: "soft-anti-affinity" });
    expect(members(world, "apart")).toEqual(["web"]);
    expect(serversOf(world).find(({ name }) => name === "web")?.id).not.toBe(before?.id);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("without an owner are taken over only with $adopt, and among several with one name the named one", async () => {
    const world = await CloudWorld.start();
    const near = (more = "", key = "near") => NETWORK + groups(`${key}: { policy: affinity${more} }`);
    const first = made(world, "near", "affinity", "reader");
    world.want(near());
    expect(refused(await world.plan())).toEqual([`adopt ${at("near")}`]);
    world.want(near(", $adopt: true"));
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since).filter((each) => each.includes("server-groups"))).toEqual([]);
    expect(changed(await world.cloneAnew().plan())).toEqual([]);
    made(world, "near");
    expect(changed(await world.plan())).toEqual([]);
    world.want(NETWORK);
    await world.reconciled();
    expect(standingGroups(world).map(({ id }) => id === first)).toEqual([false]);
    made(world, "near");
    world.want(near());
    expect(refused(await world.plan())).toEqual([`adopt ${at("near")}`]);
  });

  it("that are deleted leave their servers without a group, which then must be recreated, too", async () => {
    const world = await standing();
    world.act("DELETE", `/v2.1/os-server-groups/${idOf(world, "apart")}`);
    expect(changed(await world.drift())).toEqual([`missing ${at("apart")}`, `missing ${at("web", "servers")}/server_group`]);
    const done = await world.reconcile();
    expect(exitCode([done])).toBe(3);
    expect(refused(done)).toEqual([`replace ${at("web", "servers")}`]);
    world.want(DECLARED.replace("server_group: apart", "server_group: apart, $replace: true"));
    await world.reconciled();
    expect(members(world, "apart")).toEqual(["web"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("that another user created in place of owned ones are not owned", async () => {
    const world = await standing();
    world.act("DELETE", `/v2.1/os-server-groups/${idOf(world, "near")}`);
    made(world, "near");
    expect(refused(await world.plan())).toContainEqual(`adopt ${at("near")}`);
    world.want(NETWORK + groups(APART) + servers(web(", server_group: apart"), web("", "free")));
    await world.reconciled();
    expect(
      standingGroups(world)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["apart", "near"]);
  });

  it("stay while a server is in them, also one that was added after the plan", async () => {
    const world = await standing();
    const [{ imageId: imageRef } = { imageId: undefined }] = serversOf(world);
    const networks = [{ uuid: world.lab.world.network.all("network").find(({ name }) => name === "n")?.id }];
    const join = (name: string) =>
      world.act("POST", "/v2.1/servers", {
        server: { name, imageRef, flavorRef: "1", networks },
        "os:scheduler_hints": { group: idOf(world, "near") },
      });
    expect(join("theirs").status).toBe(202);
    world.want(NETWORK + groups(APART) + servers(web(", server_group: apart"), web("", "free")));
    const done = await world.reconcile();
    expect(exitCode([done])).toBe(3);
    expect(JSON.stringify(done.plan?.refusals)).toContain("theirs");
    world.act("DELETE", `/v2.1/servers/${serversOf(world).find(({ name }) => name === "theirs")?.id}`);
    world.clock.advance(10_000);
    const last = {
      match: { method: "GET", path: `/os-server-groups/${idOf(world, "near")}` },
      effect: { kind: "call", run: () => void join("late") },
    } as const;
    world.lab.fault(last);
    const late = await world.reconcile();
    expect(exitCode([late])).toBe(1);
    expect(late.error?.message).toContain("would then belong to no group");
    expect(members(world, "near")).toEqual(["late"]);
  });

  it("above the quota, and too many servers in one, are reported and the rest is created", async () => {
    const world = await CloudWorld.start();
    world.lab.world.compute.setLimits(world.lab.world.as("demo").projectId ?? "", { server_groups: 1, server_group_members: 1 });
    world.want(NETWORK + groups("a: { policy: affinity }", "b: { policy: affinity }"));
    const full = await world.reconcile();
    expect(exitCode([full])).toBe(4);
    expect(full.error?.message).toContain("too many server groups");
    world.want(NETWORK + groups("a: { policy: affinity }") + servers(web(", server_group: a"), web(", server_group: a", "more")));
    const crowded = await world.reconcile();
    expect(exitCode([crowded])).toBe(4);
    expect(crowded.error?.message).toContain("too many servers in group");
    world.lab.world.compute.setLimits(world.lab.world.as("demo").projectId ?? "", { server_group_members: 2 });
    await world.reconciled();
    expect(members(world, "a").sort()).toEqual(["more", "web"]);
  });

  it("without capacity for another server leave it in ERROR with the reason", async () => {
    const world = (await CloudWorld.start()).want(
      NETWORK + groups("apart: { policy: anti-affinity }") + servers(web(", server_group: apart"), web(", server_group: apart", "more")),
    );
    const done = await world.reconcile();
    expect(exitCode([done])).toBe(4);
    expect(done.error?.message).toContain("There are not enough hosts available");
  });

  it.each(["before", "after"] as const)("whose create a run was killed %s are one, and the next run's", async (when) => {
    const world = (await CloudWorld.start()).want(groups(APART));
    world.death = { atWrite: 1, when };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(standingGroups(world)).toHaveLength(1);
    expect(changed(await world.plan())).toEqual([]);
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect(standingGroups(world)).toEqual([]);
  });

  it("that another account created while the run was killed are not owned", async () => {
    const world = (await CloudWorld.start()).want(groups(APART));
    world.death = { atWrite: 1, when: "before" };
    expect((await world.reconcile()).error).toBeDefined();
    made(world, "apart", "anti-affinity", "reader");
    expect(refused(await world.resurrect().plan())).toContainEqual(`adopt ${at("apart")}`);
  });

  it("whose create got no answer are found by their creator", async () => {
    const world = (await CloudWorld.start()).want(groups(APART));
    world.lab.fault({ match: { method: "POST", path: "/os-server-groups" }, effect: { kind: "drop-reply" } });
    await world.reconciled();
    expect(standingGroups(world)).toHaveLength(1);
    expect(changed(await world.plan())).toEqual([]);
  });
});
