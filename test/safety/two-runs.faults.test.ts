import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/** Two runs on a cloud, which has no lock of its own, are kept apart by a lease in the place of the ledger. */

const WANTED = `
networks: { a: { subnets: { a-1: { cidr: 10.9.1.0/24 } } }, b: {} }
security_groups: { web: {} }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: a }], security_groups: [web], saveTo: s.password } }
`;

const named = ({ lab }: CloudWorld): string[] =>
  [
    ...lab.world.network.all("network").map(({ name }) => `network ${name}`),
    ...lab.world.network.all("subnet").map(({ name }) => `subnet ${name}`),
    ...lab.world.network.all("security_group").map(({ name }) => `group ${name}`),
  ].sort();

const countOf = (world: CloudWorld, what: string): number => named(world).filter((each) => each === what).length;

function codeOf({ error }: TargetOutcome): string {
  return error === undefined ? "done" : error.code;
}

describe("two parallel runs of one owner", () => {
  it("create each object once: one works, the other names it", async () => {
    const world = (await CloudWorld.start()).want(WANTED);
    const outcomes = await Promise.all([world.reconcile(), world.reconcile()]);
    expect(outcomes.map(codeOf).sort()).toEqual(["done", "locked-by-run"]);
    for (const what of ["network a", "network b", "subnet a-1", "group web"]) expect(countOf(world, what)).toBe(1);
    const refused = outcomes.find(({ error }) => error !== undefined);
    expect(refused?.error?.message).toMatch(/Another run \(\d{8}T\d{6}Z-.* of \S+@\S+\) is active/);
    expect(exitCode(refused === undefined ? [] : [refused])).toBe(3);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("create each object once if the other waits: it plans again from the new state", async () => {
    const world = (await CloudWorld.start()).want(WANTED);
    const sleep = () => new Promise<void>((resolve) => void setTimeout(resolve, 5));
    const outcomes = await Promise.all([1, 2, 3].map(() => world.reconcile({}, { lockTimeout: 60, sleep })));
    expect(outcomes.map(codeOf)).toEqual(["done", "done", "done"]);
    for (const what of ["network a", "network b", "subnet a-1", "group web"]) expect(countOf(world, what)).toBe(1);
    expect(exitCode([await world.plan()])).toBe(0);
  });
});

describe("a run that waits for a reply while another run takes over", () => {
  it.each([
    ["the first request of an object", { method: "POST", path: "/networks" }],
    ["a later request of an object", { method: "PUT", path: "/tags" }],
    ["a search for a lost create", { method: "GET", path: "/security-groups", nth: 4 }],
  ] as const)("sends no more writes, and each object exists once: %s", async (_, match) => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }\nsecurity_groups: { g: {} }\nrouters: { r: {} }");
    let waited = 0;
    let [codes, since]: [string[], number] = [[], 0];
    const takeOver = async (): Promise<void> => {
      codes = [codeOf(await world.reconcile({}, { takeover: true }))];
      waited += 11_000;
      since = world.lab.journal.length;
    };
    if ("nth" in match) world.lab.fault({ match: { method: "POST", path: "/security-groups" }, effect: { kind: "drop" } });
    world.lab.fault({ match, effect: { kind: "call", when: "after", run: takeOver } });
    const start = performance.now();
    const former = await world.reconcile({}, {}, { monotonic: () => start + waited });
    expect([...codes, codeOf(former)]).toEqual(["done", "lease-lost"]);
    expect(world.writesSince(since)).toEqual([]);
    await world.reconciled();
    for (const what of ["network a", "group g"]) expect(countOf(world, what)).toBe(1);
    expect(world.lab.world.network.all("router").filter(({ name }) => name === "r")).toHaveLength(1);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });
});

describe("a create with a lost reply that the service executes later", () => {
  const NETWORK = "networks: { a: {} }";
  const SERVER = "servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], saveTo: s.password } }";
  const KINDS: readonly (readonly [string, string, string])[] = [
    ["network", "/networks", NETWORK],
    ["security group", "/security-groups", "security_groups: { a: {} }"],
    ["port", "/ports", "ports: { a: { network: private } }"],
    ["router", "/routers", "routers: { a: {} }"],
    ["floating IP", "/floatingips", "floatingips: { a: { pool: public } }"],
    ["server", "/servers", SERVER],
  ];

  /** The delayed request arrives at the service now. */
  async function arrive({ lab }: CloudWorld): Promise<void> {
    lab.release();
    while (lab.journal.some(({ faults, executed }) => faults.includes("late") && !executed)) await new Promise(setImmediate);
  }

  const made = ({ lab }: CloudWorld, path: string): number =>
    lab.journal.filter((entry) => entry.method === "POST" && entry.path.endsWith(path) && entry.executed).length;

  async function late(path: string, config: string): Promise<CloudWorld> {
    const world = (await CloudWorld.start()).want(config);
    world.lab.fault({ match: { method: "POST", path }, effect: { kind: "late" } });
    return world;
  }

  /** The first run does not repeat the request. The tests continue with the run after it. */
  async function lateAfterRun(path: string, config: string): Promise<CloudWorld> {
    const world = await late(path, config);
    expect((await world.reconcile()).error?.message).toContain("it is unknown whether the object was created");
    expect(made(world, path)).toBe(0);
    return world;
  }

  /** The names that the next run deletes. It must do nothing else and refuse nothing. */
  async function toDelete(world: CloudWorld): Promise<readonly string[]> {
    const { plan } = await world.plan();
    expect(plan?.refusals).toEqual([]);
    return plan?.operations.map(({ operation }) => `${operation.action} ${operation.at.name}`) ?? [];
  }

  const servers = ({ lab }: CloudWorld) => lab.world.compute.servers(lab.world.as("demo").projectId).map(({ id }) => id);

  it.each(KINDS)("after the run: the next one deletes the second %s, and the first stays", async (_, path, config) => {
    const world = await lateAfterRun(path, config);
    await world.reconciled();
    await arrive(world);
    expect(made(world, path)).toBe(2);
    expect(await toDelete(world)).toEqual([expect.stringMatching(/^delete [as]~[0-9a-f]{8}$/)]);
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since).filter((write) => write.startsWith("DELETE"))).toHaveLength(1);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it.each(KINDS)("after the %s is no longer desired: the late object is deleted by the next run", async (_, path, config) => {
    const world = await lateAfterRun(path, config);
    await world.reconciled();
    world.want(config === NETWORK ? "security_groups: {}" : "networks: {}");
    await world.reconciled();
    await arrive(world);
    expect(made(world, path)).toBe(2);
    expect(await toDelete(world)).toEqual([expect.stringMatching(/^delete [as]$/)]);
    await world.reconciled();
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it.each(KINDS)("before the read-back: the run deletes the second %s itself", async (_, path, config) => {
    const world = await lateAfterRun(path, config);
    const after = (step: string) => (step === "write" ? arrive(world) : undefined);
    const outcome = await world.reconcile({}, { observer: { before: () => undefined, after } });
    expect(outcome.error).toBeUndefined();
    expect(made(world, path)).toBe(2);
    expect(world.writesSince(0).filter((write) => write.startsWith("DELETE"))).toHaveLength(1);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it("after its run was killed and the next one created the server again: the late one is deleted, and the one in the ledger stays", async () => {
    const world = await late("/servers", SERVER);
    world.death = { when: "after", atWrite: 1 };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    const [standing] = servers(world);
    await arrive(world);
    expect(servers(world)).toHaveLength(2);
    expect(await toDelete(world)).toEqual([expect.stringMatching(/^delete s~[0-9a-f]{8}$/)]);
    await world.reconciled();
    expect(servers(world)).toEqual([standing]);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it("after its run and the next one were killed: the elder server stays, and the run that finds both deletes the other one", async () => {
    const world = await late("/servers", SERVER);
    world.death = { when: "after", atWrite: 1 };
    expect((await world.reconcile()).error).toBeDefined();
    world.resurrect().cloneAnew().death = { when: "after", atWrite: 1 };
    expect((await world.reconcile()).error).toBeDefined();
    const [standing] = servers(world);
    // Creation times are whole seconds.
    world.clock.advance(2_000);
    await arrive(world);
    expect(servers(world)).toHaveLength(2);
    await world.resurrect().cloneAnew().reconciled();
    expect(servers(world)).toEqual([standing]);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it("of a killed run, omitted by the list while the next run created the server again, is deleted when it is shown", async () => {
    const world = (await CloudWorld.start()).want(SERVER);
    world.death = { when: "after", atWrite: 1 };
    expect((await world.reconcile()).error).toBeDefined();
    const [hidden = ""] = servers(world);
    world.lab.fault({ match: { method: "GET", path: "/servers/detail" }, effect: { kind: "leave-out", text: hidden }, count: 1000 });
    // Its ports would give it away.
    world.lab.fault({ match: { method: "GET", path: "/v2.0/ports" }, effect: { kind: "leave-out", text: hidden }, count: 1000 });
    await world.resurrect().cloneAnew().reconciled();
    world.lab.clearFaults();
    expect(servers(world)).toHaveLength(2);
    await world.reconciled();
    expect(servers(world)).toHaveLength(1);
    expect(servers(world)).not.toContain(hidden);
    expect((await world.plan()).plan).toMatchObject({ changes: [], findings: [] });
  });

  it("is distinguished from a finished duplicate, which may be in use: that is reported and kept", async () => {
    const world = (await CloudWorld.start()).want(NETWORK);
    await world.reconciled();
    const { body } = world.act("POST", "/v2.0/networks", { network: { name: "a" } });
    const { id } = (body as { network: { id: string } }).network;
    world.act("PUT", `/v2.0/networks/${id}/tags`, { tags: ["plumbline:owner=netops", "plumbline:key=a"] });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(0);
    const [finding, ...others] = outcome.plan?.findings ?? [];
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ kind: "twin", refuses: false, message: expect.stringContaining("delete it manually") });
    expect((await world.drift()).drift?.items ?? []).toEqual([]);
  });
});

describe("an object whose create got no reply and whose mark another user overwrote", () => {
  const KINDS = [
    ["network", "networks", "/networks", "network"],
    ["security group", "security_groups", "/security-groups", "security_group"],
  ] as const;

  /** The object exists, no run knows its id, and it has no mark. The documents no longer declare it. */
  async function unmarked([list, path, body]: readonly [string, string, string], end: "killed" | "reply lost"): Promise<CloudWorld> {
    const world = (await CloudWorld.start()).want("routers: { r: {} }");
    await world.reconciled();
    world.want(`routers: { r: {} }\n${list}: { a: {} }`);
    if (end === "killed") world.death = { when: "after", atWrite: 1 };
    else world.lab.fault({ match: { method: "POST", path }, effect: { kind: "drop-reply" } });
    world.lab.fault({ match: { method: "PUT" }, effect: { kind: "status", status: 503 }, count: 100 });
    expect((await world.reconcile()).error).toBeDefined();
    world.lab.clearFaults();
    world.resurrect();
    world.act("PUT", `/v2.0${path}/${idOf(world, path)}`, { [body]: { description: "theirs" } });
    return world.want("routers: { r: {} }");
  }

  const idOf = ({ lab }: CloudWorld, path: string) =>
    lab.world.network.all(path === "/networks" ? "network" : "security_group").find(({ name }) => name === "a")?.id;

  const REMAINS = { kind: "unmanaged", path: expect.objectContaining({ name: "a" }) };

  it.each(KINDS.flatMap((kind) => (["killed", "reply lost"] as const).map((end) => ({ kind, end, name: kind[0] }))))(
    "is not in sync and is kept, until it is deleted: $name, $end",
    async ({ kind: [, list, path, body], end }) => {
      const world = await unmarked([list, path, body], end);
      for (let run = 1; run <= 2; run++) {
        const outcome = await world.reconcile();
        expect(exitCode([outcome])).toBe(2);
        expect(outcome.plan?.remaining).toMatchObject([REMAINS]);
        expect(outcome.plan?.findings).toMatchObject([{ kind: "not-ours", message: expect.stringContaining("did not finish its create") }]);
      }
      expect((await world.drift()).drift?.items).toMatchObject([{ change: REMAINS }]);
      const id = idOf(world, path);
      expect(id).toBeDefined();
      world.act("DELETE", `/v2.0${path}/${id}`);
      expect(exitCode([await world.plan()])).toBe(0);
    },
  );

  it("is accepted by $adopt: true and by ignore:", async () => {
    const world = await unmarked(["networks", "/networks", "network"], "reply lost");
    expect(exitCode([await world.plan()])).toBe(2);
    world.wantText(
      "target: cloud\nscope: project\nconfig:\n  routers: { r: {} }\nignore: [{ path: \"networks/entry[@name='a']\", owner: network team, reason: another team uses it }]\n",
    );
    expect(exitCode([await world.plan()])).toBe(0);
    world.want("routers: { r: {} }\nnetworks: { a: { $adopt: true } }");
    await world.reconciled();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("is still reported after the days in which a late request is expected, also after other writes of the ledger", async () => {
    const world = await unmarked(["networks", "/networks", "network"], "reply lost");
    const later = (days: number) => ({ now: () => Date.now() + days * 86_400_000 });
    expect(exitCode([await world.reconcile()])).toBe(2);
    world.want("routers: { r: { description: two } }");
    expect(exitCode([await world.reconcile({}, {}, later(4))])).toBe(2);
    world.want("routers: { r: { description: three } }");
    expect(exitCode([await world.reconcile({}, {}, later(8))])).toBe(2);
    expect(idOf(world, "/networks")).toBeDefined();
  });
});

describe("an object of the same name that another user creates after the owned one is gone", () => {
  it("is not taken for owned: it is neither marked nor deleted", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {}, b: {} }");
    await world.reconciled();
    const standing = () => world.lab.world.network.all("network").find(({ name }) => name === "a");
    world.act("DELETE", `/v2.0/networks/${standing()?.id}`);
    world.act("POST", "/v2.0/networks", { network: { name: "a" } });
    const theirs = standing()?.id;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals).toMatchObject([{ guard: "adopt", message: expect.stringContaining("no longer exists") }]);
    expect(standing()).toMatchObject({ id: theirs, tags: [] });
    world.want("networks: { b: {} }");
    await world.reconciled();
    expect(standing()?.id).toBe(theirs);
  });
});

describe("an object that another user changes back between write and read-back", () => {
  it("is not blamed on the service, whose reply showed the written value: the next run heals at the same commit", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: { description: one } }");
    await world.reconciled();
    const standing = () => world.lab.world.network.all("network").find(({ name }) => name === "a");
    world.want("networks: { a: { description: two } }");
    const after = (step: string) => {
      if (step === "settle") world.act("PUT", `/v2.0/networks/${standing()?.id}`, { network: { description: "one" } });
    };
    const outcome = await world.reconcile({}, { observer: { before: () => undefined, after } });
    expect(["late-write", "changed-since-commit"]).toContain(outcome.error?.code);
    expect(standing()).toMatchObject({ description: "one" });
    await world.reconciled();
    expect(standing()).toMatchObject({ description: "two" });
  });
});

describe("an object that another user deletes between write and read-back", () => {
  it("is not blamed on the service: the next run creates it again at the same commit", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {}, b: {} }");
    const idOf = (name: string) => world.lab.world.network.all("network").find((each) => each.name === name)?.id;
    const after = (step: string) => {
      const id = idOf("a");
      if (step === "settle" && id !== undefined) world.act("DELETE", `/v2.0/networks/${id}`);
    };
    const outcome = await world.reconcile({}, { observer: { before: () => undefined, after } });
    expect(outcome.error).toMatchObject({ code: "late-write" });
    expect(idOf("a")).toBeUndefined();
    await world.reconciled();
    expect(idOf("a")).toBeDefined();
  });
});
