import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeRecord } from "../../../../src/engine/ledger/codec.js";
import { exitCode } from "../../../../src/outcome/outcome.js";
import { birthDescription, markTags } from "../../../../src/targets/openstack/owner-marks.js";
import { CloudWorld } from "../cloud-world.js";

/** Networks `n0` and on, each with a subnet `s` of its own. */
const networks = (count: number) =>
  `networks: { ${Array.from({ length: count }, (_, at) => `n${at}: { subnets: { s: { cidr: 10.7.${at}.0/24 } } }`).join(", ")} }`;

/** Managed objects by name, each one once and complete. */
function ours({ lab }: CloudWorld): string[] {
  const { network } = lab.world;
  const demo = lab.world.as("demo");
  const names = new Map(network.all("network").map(({ id, name }) => [id, name]));
  const marked = [...network.visible("network", demo), ...network.visible("subnet", demo), ...network.visible("port", demo)].filter(
    ({ tags, description }) => tags.length > 0 || description.includes("plumbline:"),
  );
  return marked
    .map((each) => {
      const at = "network_id" in each ? `${names.get(each.network_id)}/` : "";
      return `${at}${each.name} ${each.tags.length}${each.description === "" ? "" : ` "${each.description}"`}`;
    })
    .sort();
}

const whole = (count: number) =>
  Array.from({ length: count }, (_, at) => [`n${at} 2`, `n${at}/s 2`])
    .flat()
    .sort();

/** Requests that change something, each with how often it was sent. */
function counts(world: CloudWorld, since = 0): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const words of world.writesSince(since)) sent[words] = (sent[words] ?? 0) + 1;
  return sent;
}

function unansweredOf({ folder }: CloudWorld): string[] {
  const { ledgers } = JSON.parse(readFileSync(join(folder, "ledger.json"), "utf8"));
  return Object.keys(decodeRecord(ledgers.netops?.cloud ?? "").unanswered ?? {});
}

describe("new objects of one list", () => {
  it("are one request, and then each has its own; a single one is created separately", async () => {
    const world = (await CloudWorld.start()).want(networks(7));
    await world.reconciled();
    expect(counts(world)).toEqual({
      "POST /v2.0/networks": 1,
      "POST /v2.0/subnets": 1,
      "PUT /v2.0/networks/ID/tags": 7,
      "PUT /v2.0/networks/ID": 7,
      "PUT /v2.0/subnets/ID/tags": 7,
      "PUT /v2.0/subnets/ID": 7,
    });
    expect(ours(world)).toEqual(whole(7));
    expect((await world.plan()).plan?.changes).toEqual([]);
    const since = world.lab.journal.length;
    await world.want(networks(8)).reconciled();
    expect(Object.values(counts(world, since))).toEqual([1, 1, 1, 1, 1, 1]);
    const bodies = world.lab.journal.slice(since).filter(({ method, service }) => method === "POST" && service === "network");
    expect(bodies.map(({ body }) => Object.keys(body as object))).toEqual([["network"], ["subnet"]]);
  });

  it("are at most fifty in one request", async () => {
    const world = (await CloudWorld.start()).want(networks(53).replaceAll(/subnets: \{ s: \{ cidr: [^}]*\} \}/g, ""));
    for (const quota of Object.values({ network: 100 }))
      world.act("PUT", `/v2.0/quotas/${world.lab.world.as("demo").projectId}`, { quota: { network: quota } }, "admin");
    await world.reconciled();
    const bulk = world.lab.journal.filter(({ method, path }) => method === "POST" && path === "/v2.0/networks");
    expect(bulk.map(({ body }) => (body as unknown as { networks: unknown[] }).networks.length)).toEqual([50, 3]);
  });

  it("of which one is refused are the others, one by one, and its content is not tried", async () => {
    const world = (await CloudWorld.start()).want(networks(4));
    world.lab.fault({
      match: { method: "POST", path: "/networks", body: "plumbline:key=n2" },
      effect: { kind: "refuse", status: 400, type: "InvalidInput", message: "not this one" },
      count: 2,
    });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toMatch(
      /^1 of the changes failed, 6 were applied: .*entry\[@name='n2'\]: .*Not tried because .*n2'\]\/subnets/,
    );
    expect(ours(world)).toEqual(whole(4).filter((name) => !name.startsWith("n2")));
    expect(counts(world)).toMatchObject({ "POST /v2.0/networks": 5, "POST /v2.0/subnets": 1 });
  });

  it("above a quota are created as far as possible, and each other one is reported", async () => {
    const world = (await CloudWorld.start()).want(networks(4));
    world.configure("{ updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }");
    const project = world.lab.world.as("demo").projectId;
    const used = world.lab.world.network.all("network").filter(({ project_id }) => project_id === project).length;
    world.act("PUT", `/v2.0/quotas/${project}`, { quota: { network: 100 } }, "admin");
    world.lab.fault({
      match: { method: "POST", path: "/networks" },
      effect: {
        kind: "act",
        act: { service: "network", method: "PUT", path: `/v2.0/quotas/${project}`, body: { quota: { network: used + 3 } } },
      },
    });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toMatch(/^1 of the changes failed, 6 were applied: .*n3'\]: .*Quota exceeded/);
    expect(ours(world)).toEqual(whole(3));
  });

  it.each(["/v2.0/networks", "/v2.0/subnets"])(
    "with a lost reply (%s) are found by their marks, with one list, and not created twice",
    async (path) => {
      const world = (await CloudWorld.start()).want(networks(5));
      world.lab.fault({ match: { method: "POST", path }, effect: { kind: "drop-reply" } });
      await world.reconciled();
      expect(counts(world)).toMatchObject({ "POST /v2.0/networks": 1, "POST /v2.0/subnets": 1 });
      expect(ours(world)).toEqual(whole(5));
      expect((await world.plan()).plan?.changes).toEqual([]);
      expect(unansweredOf(world)).toEqual([]);
    },
  );

  it("with a lost request are searched for, created by the next run, and the ledger records possible late ones", async () => {
    const world = (await CloudWorld.start()).want(networks(3));
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "drop" } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toMatch(/^3 of the changes failed, 0 were applied: .*it is unknown whether the object was created/);
    expect(counts(world)).toMatchObject({ "POST /v2.0/networks": 1 });
    await world.reconciled();
    expect(counts(world)).toMatchObject({ "POST /v2.0/networks": 2 });
    expect(world.injected.slept.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(30_000);
    expect(ours(world)).toEqual(whole(3));
    expect(unansweredOf(world)).toEqual([0, 1, 2].map((at) => `/openstack/networks/entry[@name='n${at}']`));
    // It arrives after all. The object is owned and unused, so it is deleted.
    const late = [0, 1, 2].map((at) => ({ name: `n${at}`, description: birthDescription({ owner: "netops", key: `n${at}` }) }));
    expect(world.act("POST", "/v2.0/networks", { networks: late }).status).toBe(201);
    await world.reconciled();
    expect(ours(world)).toEqual(whole(3));
  });

  it.each([1, 3])("%i with a lost request are recorded as possible late ones if the search for them fails too", async (count) => {
    const world = (await CloudWorld.start()).want(networks(count));
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "drop" } });
    const before = (step: string) => {
      if (step === "write") world.lab.fault({ match: { method: "GET", path: "/networks" }, effect: { kind: "drop" }, count: 999 });
    };
    const outcome = await world.reconcile({}, { observer: { before, after: () => undefined } });
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("it is unknown whether the object was created");
    expect(unansweredOf(world)).toHaveLength(count);
  });

  it("of which a refused request left one behind are found, and it is not created twice", async () => {
    const world = (await CloudWorld.start()).want(networks(3));
    const left = { name: "n1", description: birthDescription({ owner: "netops", key: "n1" }) };
    const act = { service: "network", method: "POST", path: "/v2.0/networks", user: "demo", body: { network: left } } as const;
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "act", act } });
    world.lab.fault({
      match: { method: "POST", path: "/networks", body: "plumbline:key=n2" },
      effect: { kind: "refuse", status: 409, type: "NetworkInUse", message: "half of it" },
    });
    await world.reconciled();
    expect(ours(world)).toEqual(whole(3));
  });

  it("of which a mark is refused are all except that one; the next run continues with it", async () => {
    const world = (await CloudWorld.start()).want(networks(6));
    world.lab.fault({
      match: { method: "PUT", path: "/tags", nth: 3 },
      effect: { kind: "refuse", status: 403, type: "PolicyNotAuthorized", message: "not this one" },
    });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toMatch(
      /^1 of the changes failed, 10 were applied: \/openstack\/networks\/entry\[@name='n2'\]: .*not this one/,
    );
    await world.cloneAnew().reconciled();
    expect(ours(world)).toEqual(whole(6));
    expect(counts(world)).toMatchObject({ "POST /v2.0/networks": 1 });
  });

  it("next to which another user creates one of the same name are created, and theirs stays", async () => {
    const world = (await CloudWorld.start()).want(networks(3));
    const act = { service: "network", method: "POST", path: "/v2.0/networks", user: "demo", body: { network: { name: "n1" } } } as const;
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "act", act } });
    await world.reconciled();
    expect(ours(world)).toEqual(whole(3));
    expect(world.lab.world.network.all("network").filter(({ name }) => name === "n1")).toHaveLength(2);
  });

  it("are all of a project: groups that reference each other, ports on networks of the same run", async () => {
    const world = await CloudWorld.start();
    world.want(
      `${networks(2)}\nsecurity_groups: { g: { rules: [{ direction: ingress, remote_group: h }] }, h: { rules: [{ direction: ingress, remote_group: g }] } }\nports: { p: { network: n0, security_groups: [g] }, q: { network: n1, security_groups: [h], description: wished } }`,
    );
    await world.reconciled();
    expect(counts(world)).toMatchObject({
      "POST /v2.0/networks": 1,
      "POST /v2.0/subnets": 1,
      "POST /v2.0/security-groups": 1,
      // If several ports are refused together, the service would keep their addresses.
      "POST /v2.0/ports": 2,
    });
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("new objects of a service that accepts tags on create", () => {
  const TAGGED = { network: { tagsAtCreate: true } };
  const start = async (count: number) => (await CloudWorld.start(TAGGED)).want(networks(count));
  const tags = (key: string) => markTags({ owner: "netops", key });

  it("are created with tags and description, without further requests", async () => {
    const world = (await start(0)).want(`${networks(6)}\nsecurity_groups: { g: { description: wished, tags: [x] } }`);
    await world.reconciled();
    expect(counts(world)).toEqual({ "POST /v2.0/networks": 1, "POST /v2.0/subnets": 1, "POST /v2.0/security-groups": 1 });
    expect(ours(world)).toEqual(whole(6));
    const [group] = world.lab.world.network.all("security_group").filter(({ name }) => name === "g");
    expect(group).toMatchObject({ description: "wished", tags: [...tags("g"), "x"].sort() });
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it.each(["/v2.0/networks", "/v2.0/subnets"])("with a lost reply (%s) are found by their tags, and not created twice", async (path) => {
    const world = await start(5);
    world.lab.fault({ match: { method: "POST", path }, effect: { kind: "drop-reply" } });
    await world.reconciled();
    expect(counts(world)).toEqual({ "POST /v2.0/networks": 1, "POST /v2.0/subnets": 1 });
    expect(ours(world)).toEqual(whole(5));
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("whose request arrives late, after a second creation, are reported as duplicates and kept: they are complete", async () => {
    const world = await start(2);
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "drop" } });
    expect(exitCode([await world.reconcile()])).toBe(4);
    await world.reconciled();
    const late = [0, 1].map((at) => ({ name: `n${at}`, tags: tags(`n${at}`) }));
    expect(world.act("POST", "/v2.0/networks", { networks: late }).status).toBe(201);
    const { drift } = await world.drift();
    expect(drift?.findings.map(({ kind }) => kind)).toEqual(["twin", "twin"]);
    await world.reconcile();
    expect(ours(world).filter((name) => !name.includes("/"))).toEqual(["n0 2", "n0 2", "n1 2", "n1 2"]);
  });

  it("are created as elsewhere if the capability request is not answered", async () => {
    const world = await start(2);
    world.lab.fault({
      match: { method: "GET", path: "/extensions" },
      effect: { kind: "refuse", status: 403, type: "X", message: "no" },
      count: 9,
    });
    await world.reconciled();
    expect(counts(world)).toMatchObject({ "PUT /v2.0/networks/ID/tags": 2 });
    expect(ours(world)).toEqual(whole(2));
  });
});

describe("a run that is killed while it creates several", () => {
  const WRITES = 2 + 4 * 2 * 2;
  const moments = (["before", "after"] as const).flatMap((when) => Array.from({ length: WRITES }, (_, at) => ({ when, atWrite: at + 1 })));

  it.each(moments)("$when write $atWrite: the next, with an empty state folder, completes it, and nothing exists twice", async (death) => {
    const world = (await CloudWorld.start()).want(networks(4));
    world.death = death;
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(ours(world)).toEqual(whole(4));
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});
