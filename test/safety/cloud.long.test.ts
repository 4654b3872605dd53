import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeRecord } from "../../src/engine/ledger/codec.js";
import type { Effect } from "../../src/lab/openstack/faults/fault.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/** Dangers of docs/contributing/architecture.md that concern a cloud, by number. */

const THREE = "networks: { a: {}, b: { subnets: { b-1: { cidr: 10.9.0.0/24 } } }, c: {} }";
const SERVER = "servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], saveTo: s.password } }";

async function standing(config = THREE): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(config);
  await world.reconciled();
  return world;
}

function networksOf({ lab }: CloudWorld): { readonly id: string; name: string; description: string; tags: readonly string[] }[] {
  return lab.world.network.visible("network", lab.world.as("demo")) as never;
}

const namesOf = (world: CloudWorld): string[] =>
  networksOf(world)
    .map(({ name }) => name)
    .sort();

async function runsAll(world: CloudWorld) {
  return [await world.plan(), await world.drift(), await world.reconcile()];
}

describe("3: a list that was not read to its end", () => {
  it.each([1, 2])("with a page limit of %d is read over all its pages", async (pageMaximum) => {
    const world = await standing();
    Object.assign(world.lab.world.network, { pageMaximum });
    world.lab.world.compute.pageMaximum = pageMaximum;
    const since = world.lab.journal.length;
    for (const outcome of await runsAll(world)) expect(exitCode([outcome])).toBe(0);
    expect(world.writesSince(since)).toEqual([]);
  });

  it.each<[string, Effect]>([
    ["fails", { kind: "status", status: 500 }],
    ["is a page of a proxy", { kind: "html", status: 200 }],
    ["is cut in half", { kind: "cut", share: 0.5 }],
    ["is refused", { kind: "refuse", status: 403, type: "PolicyNotAuthorized", message: "no" }],
  ])("of which a page %s never reads as deleted objects", async (_, effect) => {
    const world = await standing();
    Object.assign(world.lab.world.network, { pageMaximum: 1 });
    world.want("networks: { a: {} }");
    world.lab.fault({ match: { path: "/networks", query: "marker" }, effect, count: 1000 });
    const since = world.lab.journal.length;
    for (const outcome of await runsAll(world)) {
      expect(exitCode([outcome])).toBe(1);
      expect(outcome.plan?.operations ?? []).toEqual([]);
      expect(outcome.drift?.items ?? []).toEqual([]);
    }
    expect(world.writesSince(since)).toEqual([]);
  });
});

describe("4: a token without visible objects", () => {
  it("without a project is an error", async () => {
    const world = await standing();
    world.project = "";
    const since = world.lab.journal.length;
    for (const outcome of await runsAll(world)) expect(outcome.error).toMatchObject({ code: "token-not-scoped" });
    expect(world.writesSince(since)).toEqual([]);
  });

  it("of this owner, although objects of others are visible, creates nothing a second time", async () => {
    const world = await standing();
    const elsewhere = world.lab.world.as("other").projectId;
    const { network } = world.lab.world;
    for (const each of [...network.all("network"), ...network.all("subnet")])
      if (each.tags.length > 0) Object.assign(each, { project_id: elsewhere });
    expect(namesOf(world)).toContain("public");
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals).toMatchObject([{ guard: "empty-live" }]);
    expect(world.writesSince(since)).toEqual([]);
  });
});

describe("7: ambiguous or renamed objects", () => {
  it("the owned object is deleted, and another one of the same name stays", async () => {
    const world = await standing();
    world.act("POST", "/v2.0/networks", { network: { name: "a" } });
    const theirs = networksOf(world).find(({ name, tags }) => name === "a" && tags.length === 0)?.id;
    expect((await world.plan()).plan?.changes).toEqual([]);
    world.want("networks: { b: { subnets: { b-1: { cidr: 10.9.0.0/24 } } }, c: {} }");
    await world.reconciled();
    expect(
      networksOf(world)
        .filter(({ name }) => name === "a")
        .map(({ id }) => id),
    ).toEqual([theirs]);
  });

  it("the owned object is deleted under any name, and another one that took its name stays", async () => {
    const world = await standing();
    const ours = networksOf(world).find(({ name }) => name === "a")?.id;
    world.act("PUT", `/v2.0/networks/${ours}`, { network: { name: "hidden" } });
    world.act("POST", "/v2.0/networks", { network: { name: "a" } });
    world.want("networks: { b: { subnets: { b-1: { cidr: 10.9.0.0/24 } } }, c: {} }");
    const [refusal] = (await world.reconcile()).plan?.refusals ?? [];
    expect(refusal).toMatchObject({ guard: "not-as-left" });
    expect(networksOf(world).map(({ id }) => id)).toContain(ours);
    await world.reconciled({ allow: new Map([["not-as-left", String(refusal?.path)]]) });
    expect(namesOf(world)).toEqual(["a", "b", "c", "private", "public"]);
    expect(networksOf(world).map(({ id }) => id)).not.toContain(ours);
  });

  it("an object that lost the mark between plan and delete stays", async () => {
    const world = await standing();
    const ours = networksOf(world).find(({ name }) => name === "a")?.id;
    world.want("networks: { b: { subnets: { b-1: { cidr: 10.9.0.0/24 } } }, c: {} }");
    const unmark = () => void world.act("PUT", `/v2.0/networks/${ours}/tags`, { tags: [] });
    world.lab.fault({ match: { method: "GET", path: `/networks/${ours}` }, effect: { kind: "call", run: unmark } });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ message: expect.stringContaining("owner") });
    expect(networksOf(world).map(({ id }) => id)).toContain(ours);
  });

  it("two of one name are not guessed between", async () => {
    const world = await CloudWorld.start();
    for (let count = 0; count < 2; count++) world.act("POST", "/v2.0/networks", { network: { name: "a" } });
    world.want("networks: { a: { $adopt: true } }");
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals).toMatchObject([{ guard: "adopt", message: expect.stringContaining("a~") }]);
    expect(world.writesSince(since)).toEqual([]);
  });
});

describe("8: a create that succeeded although its reply does not show it", () => {
  const CREATES: readonly (readonly [string, string, string])[] = [
    ["a network", "/networks", "networks: { a: {} }"],
    ["a subnet", "/subnets", "networks: { a: { subnets: { a-1: { cidr: 10.9.0.0/24 } } } }"],
    ["a security group", "/security-groups", "security_groups: { a: {} }"],
    ["a port", "/ports", "ports: { a: { network: private } }"],
    ["a router", "/routers", "routers: { a: {} }"],
    ["a server", "/servers", SERVER.replace(", saveTo: s.password", "")],
    ["a key pair", "/os-keypairs", "keypairs: { a: { saveTo: a.pem } }"],
  ];

  const counted = (world: CloudWorld, path: string): number =>
    world.lab.journal.filter((entry) => entry.method === "POST" && entry.path.endsWith(path) && entry.executed).length;

  it.each(CREATES)("%s is found by its mark, and not created again", async (_, path, config) => {
    const world = (await CloudWorld.start()).want(config);
    world.lab.fault({ match: { method: "POST", path }, effect: { kind: "drop-reply" } });
    await world.reconciled();
    expect(counted(world, path)).toBe(1);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it.each(CREATES)("%s is not created again in a run whose request was lost, but in the next run", async (_, path, config) => {
    const world = (await CloudWorld.start()).want(config);
    world.lab.fault({ match: { method: "POST", path }, effect: { kind: "drop" } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("it is unknown whether the object was created");
    expect(counted(world, path)).toBe(0);
    expect(world.injected.slept.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(30_000);
    await world.reconciled();
    expect(counted(world, path)).toBe(1);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  const UNANSWERED = [
    ["the service answers too late", { kind: "hold" }],
    ["a proxy gives up (504)", { kind: "html", status: 504 }],
    ["a proxy loses the reply (502)", { kind: "html", status: 502 }],
  ] as const;

  it.each(UNANSWERED)("one create request is sent, and the rest is applied, if %s", async (_, effect) => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }\nrouters: { r: {} }");
    world.overrides = { timeout: 1 };
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("it is unknown whether the object was created");
    expect(world.writesSince(0).filter((write) => write === "POST /v2.0/networks")).toHaveLength(1);
    expect(world.lab.world.network.all("router").some(({ name }) => name === "r")).toBe(true);
    world.lab.release();
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "private", "public"]);
  });

  it.each([500, 503])("one that the service itself reports as failed (%i) is repeated in the run", async (status) => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }");
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "status", status } });
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "private", "public"]);
  });

  it("ends as partly applied, without a retry, if the service stops answering; the next run finds it", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }");
    await world.reconciled();
    world.want("networks: { a: {}, b: {} }");
    world.lab.fault({ match: { method: "POST", path: "/networks", body: "plumbline:key=b" }, effect: { kind: "drop-reply" } });
    world.lab.fault({ match: { method: "GET", query: "name=b" }, effect: { kind: "status", status: 503 }, count: 1000 });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("it is unknown whether the object was created");
    world.lab.clearFaults();
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "b", "private", "public"]);
    expect(counted(world, "/networks")).toBe(2);
  });

  it("ends so for several, too, if no list is answered any longer; the next run finds them", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {}, b: {} }");
    const away = { match: { method: "GET", path: "/networks" }, effect: { kind: "status", status: 503 }, count: 1000 } as const;
    const run = () => world.lab.fault(away);
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "call", run } });
    world.lab.fault({ match: { method: "POST", path: "/networks" }, effect: { kind: "drop-reply" } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toMatch(/^2 of the changes failed, 0 were applied: .*it is unknown whether the object was created/);
    world.lab.clearFaults();
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "b", "private", "public"]);
    expect(counted(world, "/networks")).toBe(1);
  });

  it.each(["tags", "networks/"])("killed between create and its %s, the next run completes the same network", async (path) => {
    const world = (await CloudWorld.start()).want("networks: { a: { description: wished } }");
    world.lab.fault({
      match: { method: "PUT", path },
      effect: { kind: "refuse", status: 403, type: "PolicyNotAuthorized", message: "no" },
    });
    expect((await world.reconcile()).error).toBeDefined();
    const [born] = networksOf(world).filter(({ name }) => name === "a");
    await world.cloneAnew().reconciled();
    const [now, ...others] = networksOf(world).filter(({ name }) => name === "a");
    expect(others).toEqual([]);
    expect(now).toMatchObject({ id: born?.id, description: "wished", tags: ["plumbline:key=a", "plumbline:owner=netops"] });
  });

  it("keeps a server whose password was lost, and reports it", async () => {
    const world = (await CloudWorld.start()).want(SERVER);
    world.lab.fault({ match: { method: "POST", path: "/servers" }, effect: { kind: "drop-reply" } });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("adminPass was lost");
    expect(exitCode([outcome])).toBe(4);
    expect(world.lab.world.compute.servers(world.lab.world.as("demo").projectId)).toHaveLength(1);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("11: system objects in an exclusive list", () => {
  it("the default group, networks of others, rules and ports of services: none is deleted", async () => {
    const world = await CloudWorld.start();
    const exclusive = "{ networks: exclusive, security_groups: exclusive, ports: exclusive, routers: exclusive }";
    const lists = "networks: { a: {} }\n  security_groups: { g: {} }\n  ports: { p: { network: private } }\n  routers: { r: {} }";
    world.wantText(`target: cloud\nscope: project\nowns: ${exclusive}\nconfig:\n  ${lists}\n`);
    await world.adopt();
    const ports = world.lab.world.network.visible("port", world.lab.world.as("demo")).length;
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "private", "public"]);
    const demo = world.lab.world.as("demo");
    expect(
      world.lab.world.network
        .visible("security_group", demo)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["default", "g"]);
    expect(world.lab.world.network.visible("port", demo)).toHaveLength(ports + 1);
    expect(
      world.lab.world.network
        .visible("router", demo)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["r", "router1"]);
    const groups = world.lab.world.network.visible("security_group", demo);
    const own = groups.find(({ name }) => name === "g");
    expect(world.lab.world.network.visible("security_group_rule", demo).filter((rule) => rule.security_group_id === own?.id)).toHaveLength(
      2,
    );
    expect(world.writesSince(0).filter((write) => write.startsWith("DELETE"))).toEqual([]);
    expect((await world.plan()).plan?.operations).toEqual([]);
  });
});

describe("without a ledger", () => {
  const whole = "networks: { a: { subnets: { a-1: { cidr: 10.9.0.0/24 }, a-2: { cidr: 10.9.1.0/24 } } } }";
  const less = "networks: { a: { subnets: { a-1: { cidr: 10.9.0.0/24 } } } }";
  const none = "networks: { a: {} }";
  const subnets = (world: CloudWorld): string[] =>
    (world.lab.world.network.visible("subnet", world.lab.world.as("demo")) as unknown as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => /^(?:a-|hers)/.test(name))
      .sort();

  it.each([less, none])(
    "a subnet in a completely declared network stays, and the plan says that deletions are unknown (%s)",
    async (config) => {
      const world = await standing(whole);
      world.want(config);
      world.forgetLedger();
      expect((await world.plan()).plan).toMatchObject({ deletionsUnknown: true, operations: [], changes: [] });
      expect(exitCode([await world.plan()])).toBe(0);
      await world.reconciled();
      expect(subnets(world)).toEqual(["a-1", "a-2"]);
    },
  );

  it("with one it is deleted, and a subnet of another administrator stays", async () => {
    const world = await standing(whole);
    const network = networksOf(world).find(({ name }) => name === "a")?.id;
    world.act("POST", "/v2.0/subnets", { subnet: { network_id: network, ip_version: 4, cidr: "10.8.0.0/24", name: "hers" } });
    world.want(none);
    await world.reconciled();
    expect(subnets(world)).toEqual(["hers"]);
  });
});

it("the ledger contains the service's id of each object, and the ids of a network are not its name", async () => {
  const world = await standing();
  const { ledgers } = JSON.parse(readFileSync(join(world.folder, "ledger.json"), "utf8")) as {
    ledgers: Record<string, Record<string, string>>;
  };
  const { rows = {} } = decodeRecord(ledgers.netops?.cloud ?? "");
  const known = networksOf(world).filter(({ name }) => ["a", "b", "c"].includes(name));
  expect(
    Object.values(rows)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(known.map(({ id }) => id).sort());
});
