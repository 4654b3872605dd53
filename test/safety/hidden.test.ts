import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/lab/openstack/faults/fault.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { OTHERS, withRoles } from "../targets/contrail/roles.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/**
 * Rule 4 of docs/contributing/architecture.md, for single objects: an object that a missing right hides is neither deleted nor created
 * again.
 */

const BLUE = "default-domain:demo:blue";
const GREEN = "default-domain:demo:green";
const BOTH = `virtual-networks: { "${BLUE}": {}, "${GREEN}": {} }`;

async function oneHidden() {
  const { world } = await withRoles();
  await world.reconciled(BOTH);
  const uuid = world.object("virtual-network", BLUE)?.uuid ?? "";
  const perms2 = world.object("virtual-network", BLUE)?.properties.perms2 ?? {};
  world.lab.world.update("virtual-network", uuid, OTHERS);
  return { world, uuid, show: () => world.lab.world.update("virtual-network", uuid, { perms2 }) };
}

describe("one network that a controller hides", () => {
  it("is an error in plan, drift and reconcile, and nothing is written", async () => {
    const { world, show } = await oneHidden();
    const since = world.lab.journal.length;
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringMatching(/blue.*Permission Denied/) });
      expect(exitCode([outcome])).toBe(3);
    }
    expect(world.writes(since)).toEqual([]);
    show();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("stays in the ledger although it is no longer desired, and is deleted when it is shown again", async () => {
    const { world, uuid, show } = await oneHidden();
    world.want(`virtual-networks: { "${GREEN}": {} }`);
    expect((await world.reconcile()).error?.code).toBe("object-hidden");
    expect(world.lab.world.store.get(uuid)).toBeDefined();
    show();
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.lab.world.store.get(uuid)).toBeUndefined();
  });

  it("is distinguished from a deleted one, which is created again", async () => {
    const { world } = await withRoles();
    await world.reconciled(BOTH);
    world.lab.world.delete("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "");
    expect((await world.plan()).plan?.changes.map(({ kind }) => kind)).toEqual(["missing"]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.object("virtual-network", BLUE)).toBeDefined();
  });
});

const CLOUD = "networks: { a: { subnets: { a-1: { cidr: 10.9.1.0/24 } } }, b: { subnets: { b-1: { cidr: 10.9.2.0/24 } } } }";

async function cloud() {
  const world = (await CloudWorld.start()).want(CLOUD);
  await world.reconciled();
  const ledger = () => readFileSync(join(world.folder, "ledger.json"), "utf8");
  const { network } = world.lab.world;
  const idOf = (kind: "network" | "subnet", name: string) => network.all(kind).find((each) => each.name === name)?.id ?? "";
  return { world, hidden: network.store.hidden, idOf, ledger };
}

describe("one object that a cloud hides", () => {
  it.each(["network", "subnet"] as const)("a %s that other objects give away is an error, and is made no second time", async (kind) => {
    const { world, hidden, idOf, ledger } = await cloud();
    hidden.add(idOf(kind, kind === "network" ? "a" : "a-1"));
    const [since, before] = [world.lab.journal.length, ledger()];
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringContaining('"a') });
      expect(exitCode([outcome])).toBe(3);
    }
    expect(world.writesSince(since)).toEqual([]);
    expect(ledger()).toBe(before);
    expect((await world.plan({ allow: new Map([["object-hidden", ""]]) })).error).toBeUndefined();
    hidden.clear();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("is distinguished from a deleted one, which is created again", async () => {
    const { world, idOf } = await cloud();
    world.act("DELETE", `/v2.0/networks/${idOf("network", "a")}`);
    world.act("DELETE", `/v2.0/subnets/${idOf("subnet", "b-1")}`);
    expect((await world.plan()).error).toBeUndefined();
    await world.reconciled();
    expect(idOf("network", "a")).not.toBe("");
    expect(idOf("subnet", "b-1")).not.toBe("");
  });
});

const SERVERS = `
networks: { a: {} }
servers: { one: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] }, two: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] } }
`;

async function servers() {
  const world = (await CloudWorld.start()).want(SERVERS);
  await world.reconciled();
  const { compute } = world.lab.world;
  const all = () => compute.servers(world.lab.world.as("demo").projectId);
  const idOf = (name: string) => all().find((server) => server.name === name)?.id ?? "";
  const leaveOut = (name: string) =>
    world.lab.fault({
      match: { method: "GET", path: "/servers/detail" },
      effect: { kind: "leave-out", text: `"id":"${idOf(name)}"` },
      count: 1000,
    });
  return { world, all, idOf, leaveOut };
}

describe("a server that the list omits with status 200", () => {
  it.each<[string, Effect | undefined]>([
    ["a list that lags", undefined],
    ["a cell that is down", { kind: "status", status: 500 }],
    ["a right that is missing", { kind: "refuse", status: 403, type: "forbidden", message: "Policy doesn't allow it" }],
  ])("because of %s is asked for by its id, and not made again; its neighbours are looked after", async (_, answer) => {
    const { world, all, idOf, leaveOut } = await servers();
    const ids = all().map(({ id }) => id);
    leaveOut("one");
    if (answer !== undefined) world.lab.fault({ match: { method: "GET", path: `/servers/${idOf("one")}` }, effect: answer, count: 1000 });
    world.want(SERVERS.replace("networks: { a: {} }", "networks: { a: {}, b: {} }"));
    const since = world.lab.journal.length;
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(exitCode([outcome])).toBe(3);
      const refusals = outcome.plan?.refusals ?? [];
      if (outcome.plan !== undefined) expect(refusals).toMatchObject([{ guard: "object-hidden", stops: "subtree", path: { name: "one" } }]);
      else expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("object-hidden") });
    }
    expect(world.writesSince(since).filter((write) => write.startsWith("POST"))).toEqual(["POST /v2.0/networks"]);
    expect(all().map(({ id }) => id)).toEqual(ids);
    world.lab.clearFaults();
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(all().map(({ id }) => id)).toEqual(ids);
  });

  it("stays in the ledger if no longer desired, and is deleted when it is shown again", async () => {
    const { world, all, leaveOut } = await servers();
    leaveOut("one");
    world.want(SERVERS.replace(/one: \{.*?\}\] \}, /, ""));
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(all()).toHaveLength(2);
    world.lab.clearFaults();
    await world.reconciled();
    expect(all().map(({ name }) => name)).toEqual(["two"]);
  });

  it("is treated as deleted once after confirmation", async () => {
    const { world, leaveOut } = await servers();
    leaveOut("one");
    const { plan } = await world.plan({ allow: new Map([["object-hidden", ""]]) });
    expect(plan?.changes.map(({ kind, path }) => `${kind} ${path.name}`)).toEqual(["missing one"]);
  });

  it("is deleted, and created again, if the service does not know its id, with a token that saw it before", async () => {
    const { world, idOf, all } = await servers();
    const before = idOf("one");
    world.act("DELETE", `/v2.1/servers/${before}`);
    world.clock.advance(60_000);
    const file = join(world.folder, "ledger.json");
    const ledger = readFileSync(file, "utf8");
    const roles = /\\"roles\\": \[\\n +\\"/;
    expect(ledger).toMatch(roles);
    writeFileSync(
      file,
      ledger.replace(roles, (found) => `${found}auditor\\",\\"`),
    );
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "object-hidden", message: expect.stringContaining("roles") }]);
    writeFileSync(file, ledger);
    await world.reconciled();
    expect(all()).toHaveLength(2);
    expect(idOf("one")).not.toBe(before);
  });
});

/** Two servers are declared and none exists. The list never shows "one". */
async function unlistedFromTheStart() {
  const world = (await CloudWorld.start()).want(SERVERS);
  const { compute } = world.lab.world;
  const all = () => compute.servers(world.lab.world.as("demo").projectId);
  const ledger = () => readFileSync(join(world.folder, "ledger.json"), "utf8");
  world.lab.fault({
    match: { method: "GET", path: "/servers/detail" },
    effect: { kind: "leave-out", text: '"name":"one"' },
    count: 1000,
  });
  return { world, all, ledger };
}

describe("a server that the list omits from its creation on", () => {
  it("is read by the id from its create: it is built, refused until shown, and created once", async () => {
    const { world, all, ledger } = await unlistedFromTheStart();
    const first = await world.reconcile();
    expect(first.error).toMatchObject({ code: "plan-refused", message: expect.stringMatching(/object-hidden.*ACTIVE/) });
    expect(exitCode([first])).toBe(3);
    const ids = all().map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(ledger()).toContain(id);
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) expect(exitCode([outcome])).toBe(3);
    world.lab.clearFaults();
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(exitCode([await world.plan()])).toBe(0);
    expect(all().map(({ id }) => id)).toEqual(ids);
  });

  it("is not reported as deleted if the service does not answer for its id, and not created again", async () => {
    const { world, all } = await unlistedFromTheStart();
    const effect: Effect = { kind: "refuse", status: 403, type: "forbidden", message: "Policy doesn't allow it" };
    const refusing = (step: string) => {
      if (step !== "settle") return;
      for (const { id } of all()) world.lab.fault({ match: { method: "GET", path: `/servers/${id}` }, effect, count: 1000 });
    };
    const first = await world.reconcile({}, { observer: { before: refusing, after: () => undefined } });
    expect(first.error).toMatchObject({ code: "partly-applied", message: expect.stringMatching(/"one".*Policy doesn't allow it/) });
    expect(first.error?.message).not.toContain("deleted");
    expect(exitCode([first])).toBe(4);
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(all()).toHaveLength(2);
    world.lab.clearFaults();
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(all()).toHaveLength(2);
  });

  it("is known by its id if the run was interrupted during the build", async () => {
    const { world, all } = await unlistedFromTheStart();
    const dying = (step: string) => {
      if (step === "settle") throw new Error("dead");
    };
    await world.reconcile({}, { observer: { before: dying, after: () => undefined } });
    expect(all()).toHaveLength(2);
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "object-hidden", path: { name: "one" } }]);
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(all()).toHaveLength(2);
  });

  it("is created again if it was deleted during the build", async () => {
    const { world, all } = await unlistedFromTheStart();
    const deleting = (step: string) => {
      if (step !== "settle") return;
      for (const { id, name } of all()) if (name === "one") world.act("DELETE", `/v2.1/servers/${id}`);
      world.clock.advance(60_000);
    };
    const first = await world.reconcile({}, { observer: { before: deleting, after: () => undefined } });
    expect(first.error).toMatchObject({
      code: "partly-applied",
      message: expect.stringContaining("it was deleted during the build"),
    });
    expect(all().map(({ name }) => name)).toEqual(["two"]);
    world.lab.clearFaults();
    await world.reconciled();
    expect(all()).toHaveLength(2);
  });
});

/**
 * A run was killed right after the service created "one": no ledger has its id, and the list omits it.
 * @param isRecreated the ledger has the id of a former server of this name, which was deleted
 */
async function madeByTheDead(isRecreated = false) {
  const world = (await CloudWorld.start()).want("servers: { one: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] } }");
  const { compute } = world.lab.world;
  const all = () => compute.servers(world.lab.world.as("demo").projectId);
  if (isRecreated) {
    await world.reconciled();
    world.act("DELETE", `/v2.1/servers/${all()[0]?.id}`);
    world.clock.advance(60_000);
  }
  world.death = { when: "after", atWrite: 1 };
  await world.reconcile();
  world.resurrect();
  const [{ id } = { id: "" }] = all();
  const leaveOut = {
    match: { method: "GET", path: "/servers/detail" },
    effect: { kind: "leave-out", text: `"id":"${id}"` },
    count: 1000,
  } as const;
  world.cloneAnew().lab.fault(leaveOut);
  return { world, all, id };
}

describe("a server that the list omits, whose id only a killed run knew", () => {
  it.each<[string, Effect | undefined, RegExp]>([
    ["the service shows it by the id that its ports have", undefined, /BUILD|ACTIVE/],
    ["its cell is down", { kind: "status", status: 500 }, /the service answers for .*: 500/],
  ])("is not made again: %s", async (_, answer, words) => {
    const { world, all, id } = await madeByTheDead();
    if (answer !== undefined) world.lab.fault({ match: { method: "GET", path: `/servers/${id}` }, effect: answer, count: 1000 });
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) expect(exitCode([outcome])).toBe(3);
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "object-hidden", message: expect.stringMatching(words) }]);
    expect(all().map((server) => server.id)).toEqual([id]);
    world.lab.clearFaults();
    await world.reconciled();
    expect(all().map((server) => server.id)).toEqual([id]);
  });

  it("is not created again if the ledger has the id of a former server of this name", async () => {
    const { world, all, id } = await madeByTheDead(true);
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "object-hidden", message: expect.stringContaining(id) }]);
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(all().map((server) => server.id)).toEqual([id]);
  });

  it("is created again if its ports outlive it, and if they belong to others", async () => {
    const { world, all, id } = await madeByTheDead();
    world.lab.fault({
      match: { method: "GET", path: `/servers/${id}` },
      effect: { kind: "refuse", status: 404, type: "itemNotFound", message: "gone" },
      count: 1000,
    });
    expect(await world.plan()).toMatchObject({ plan: { changes: [{ kind: "missing", path: { name: "one" } }] } });
    world.lab.clearFaults();
    world.act("DELETE", `/v2.1/servers/${id}`);
    world.clock.advance(60_000);
    const { images, network } = world.lab.world;
    const imageRef = images.visible(undefined, true)[0]?.id ?? "";
    const uuid = network.all("network").find(({ name }) => name === "private")?.id ?? "";
    const theirs = { name: "theirs", imageRef, flavorRef: "1", networks: [{ uuid }] };
    expect(world.act("POST", "/v2.1/servers", { server: theirs }).status).toBe(202);
    world.lab.fault({
      match: { method: "GET", path: "/servers/detail" },
      effect: { kind: "leave-out", text: '"name":"theirs"' },
      count: 1000,
    });
    await world.reconciled();
    expect(
      all()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["one", "theirs"]);
  });

  it("is treated as deleted once after confirmation", async () => {
    const { world } = await madeByTheDead();
    const { plan } = await world.plan({ allow: new Map([["object-hidden", ""]]) });
    expect(plan?.changes.map(({ kind, path }) => `${kind} ${path.name}`)).toEqual(["missing one"]);
  });
});

it.each(["/tags", "/v2.0/networks/"])(
  "a network that its list omits is not created twice if the first %s after its create gets no answer",
  async (path) => {
    const world = (await CloudWorld.start()).want("networks: { web: {} }");
    world.lab.fault({ match: { method: "PUT", path }, effect: { kind: "drop-reply" } });
    world.lab.fault({ match: { method: "GET", path: "/networks" }, effect: { kind: "leave-out", text: '"name":"web"' }, count: 1000 });
    const made = () => world.lab.journal.filter((entry) => entry.method === "POST" && entry.path === "/v2.0/networks");
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(made()).toHaveLength(1);
    world.lab.clearFaults();
    await world.reconciled();
    expect(made()).toHaveLength(1);
  },
);

it("a network that a run creates after its list became complete was announced: it is deleted with its document", async () => {
  const world = (await CloudWorld.start()).want("networks: { a: {}, b: {} }");
  await world.reconciled();
  world.want("networks: { a: {}, b: {}, c: {} }\nsecurity_groups: { g: { description: ours } }");
  world.lab.fault({ match: { method: "GET", path: "/networks" }, effect: { kind: "leave-out", text: '"name":"' }, count: 1000 });
  // A reply about the group is lost, and the state is read again. The list then shows everything.
  const before = (step: string) => {
    if (step !== "write") return;
    world.lab.clearFaults();
    world.lab.fault({ match: { method: "PUT", path: "/security-groups" }, effect: { kind: "drop-reply" } });
  };
  await world.reconcile({}, { observer: { before, after: () => undefined } });
  const names = () => world.lab.world.network.all("network").map(({ name }) => name);
  expect(names()).toContain("c");
  world.want("networks: { a: {}, b: {} }");
  await world.reconciled();
  expect(names()).not.toContain("c");
});

it("a subnet that its list omits although its network names it is not created again", async () => {
  const { world, idOf } = await cloud();
  world.lab.fault({
    match: { method: "GET", path: "/subnets" },
    effect: { kind: "leave-out", text: `"id":"${idOf("subnet", "a-1")}"` },
    count: 1000,
  });
  const since = world.lab.journal.length;
  for (const outcome of [await world.plan(), await world.reconcile()])
    expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringContaining("its list did not show") });
  expect(world.writesSince(since)).toEqual([]);
});
