import { afterEach, describe, expect, it } from "vitest";
import { timeText } from "../../src/core/device-time.js";
import type { Path } from "../../src/core/tree/path.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { ProbeNetwork } from "../../src/engine/watch/probe-network.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { ALL, replyLost } from "../engine/apply/device-target.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { replacing } from "../engine/apply/replacing.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { ledgerOf as ledger } from "../engine/watch/ledger-of.js";
import { reachableWhile } from "../engine/watch/reachable.js";

const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n";
const watched = (wanted: Record<string, string>): string => addresses(wanted).replace("config:", `${PROBE}config:`);
const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;

const alive = reachableWhile(() => true);
/** The way there is cut by the next commit. */
const dying = ({ lab: { device } }: LabWorld) => {
  const before = device.state.commits.length;
  return reachableWhile(() => device.state.commits.length === before);
};

const cut = ({ device }: World) => reachableWhile(() => device.jobs.length === 0);

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function start(): Promise<LabWorld> {
  const world = await LabWorld.start(BARE.replace("theirs", "h-23"), { strict: true });
  worlds.push(world);
  return world;
}

const live = (world: LabWorld) => addressesOf(world.lab.device.state.running);

describe("a commit that was never sent, whose content another administrator committed", () => {
  it("leaves owned objects: they are deleted when they leave the files", async () => {
    const world = new World(BARE).want(addresses({ ours: "10.0.0.1" }));
    world.capabilities = { ...ALL, partialCommit: false };
    expect((await world.reconcile()).error).toBeUndefined();
    world.want(watched({ ours: "10.0.0.1", made: "10.0.0.2" }));
    const before = (step: string) => {
      if (step !== "watch-begin") return;
      world.device.commit("alice", "all that is there", false);
    };
    const after = (step: string) => {
      if (step === "watch-begin") throw new Error("the run ends");
    };
    expect((await world.reconcile({ observer: { before, after }, write: { network: alive } })).error).toBeDefined();
    expect(addressesOf(world.device.running)).toHaveProperty("made");
    world.want(addresses({ ours: "10.0.0.1" }));
    expect((await world.reconcile({ write: { takeover: true, network: alive } })).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", ours: "10.0.0.1" });
  });
});

describe("a watched commit of an earlier run whose reply was lost, and which arrives late", () => {
  it.each([
    ["before what it would have carried is reverted", "before", "revert-leftovers"],
    ["after the watch of it was ended", "after", "watch-end"],
  ])("%s: nothing that nobody wants any more stays", async (_, when, hook) => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    const lost = (call: string) => {
      if (call === "commit") throw replyLost();
    };
    expect((await world.reconcile({ wire: { before: lost }, write: { network: alive } })).error).toMatchObject({ code: "commit-unknown" });
    world.want(addresses({ b: "10.0.0.2" }));
    const comes = (step: string) => {
      if (step === hook) world.device.commit("netops", "plumbline late", true);
    };
    const observer = { before: () => undefined, after: () => undefined, [when]: comes };
    await world.reconcile({ observer, write: { takeover: true, network: alive } });
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", b: "10.0.0.2" });
  });
});

/** Manual changes of alice on the device, committed. */
function byAlice({ lab: { device } }: LabWorld, name: string, ip: string): void {
  device.act("alice", { type: "config", action: "set", xpath: at(name), element: `<ip-netmask>${ip}</ip-netmask>` });
  device.act("alice", { type: "commit", cmd: "<commit/>" });
}

describe("an entry that a run announced and never committed, and that another administrator created since", () => {
  /** `step`: where the run of `wanted` ends. */
  async function madeSince(step: string, wanted: string): Promise<LabWorld> {
    const world = await start();
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    world.want(wanted);
    const ending = (each: string) => (each === step ? Promise.reject(new Error("the run ends")) : undefined);
    await world.reconcile({ write: { network: alive, observer: { before: () => undefined, after: ending } } });
    world.later(5_000);
    byAlice(world, "made", "10.9.9.9");
    world.later(5_000);
    return world;
  }

  it.each(["ledger-before", "watch-begin"])(
    "is theirs if the run ends after %s: it survives a rollback and the removal of its document",
    async (step) => {
      const world = await madeSince(step, watched({ ours: "10.0.0.1", made: "10.0.0.2" }));
      world.want(watched({ ours: "10.0.0.1", made: "10.0.0.3" }));
      const taken = await world.reconcile({ write: { network: dying(world), takeover: true } });
      expect(taken.error).toMatchObject({ code: "commit-taken-back" });
      world.want(addresses({ ours: "10.0.0.1" }));
      expect((await world.reconcile()).error).toBeUndefined();
      expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1", made: "10.9.9.9" });
    },
  );
});

describe("a commit that is rolled back on a device without locks", () => {
  it.each([
    ["committed, before what takes it back is written", "write", true],
    ["and commits, once it is written", "validate", true],
    ["begins, once it is written", "validate", false],
  ])("leaves what somebody changes, %s", async (_, call, commits) => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1", b: "10.0.0.2" }));
    world.capabilities = { ...ALL, locks: false };
    let seen = 0;
    const before = (each: string) => {
      if (each !== call || ++seen !== 2) return;
      world.device.write("alice", [setAddress(ADDRESS, "a", "10.7.7.7")]);
      if (commits) world.device.commit("alice", "by hand", true);
    };
    const first = await world.reconcile({ write: { network: cut(world) }, wire: { before } });
    expect(first.error?.code).toMatch(/commit-stands|candidate-not-restored/);
    if (!commits) world.device.commit("alice", "by hand", true);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.7.7.7" });
    const next = await world.reconcile({ write: { network: cut(world), takeover: true } });
    expect(next.error).toMatchObject({ code: "commit-stands" });
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.7.7.7" });
  });
});

it("a value that another administrator commits during the own commit is theirs after the rollback", async () => {
  const world = new World(BARE).want(watched({ a: "10.0.0.1", b: "10.0.0.2" }));
  world.capabilities = { ...ALL, locks: false };
  let when = "";
  const before = (call: string) => {
    if (call !== "commit" || when !== "") return;
    world.now += 10_000;
    when = timeText(world.now);
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.0.0.1")]);
    world.device.commit("alice", "by hand", true);
    world.now += 10_000;
  };
  const logs = { deviceTime: async () => timeText(world.now), records: async () => [], async *pages() {} };
  const attribution = async (path: Path) => (path.name === "a" && when !== "" ? { admin: "alice", time: when } : undefined);
  const wrap = (target: WriteTarget) => replacing(target, { logs, attribution });
  const outcome = await world.reconcile({ write: { network: cut(world) }, wire: { before }, wrap });
  expect(outcome.error).toMatchObject({ code: "commit-stands", message: expect.stringContaining("'a'") });
  expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
});

it("a rollback request that arrives while a later run writes is no fault of the target", async () => {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(watched({ a: "10.0.0.2" }));
  let writes = 0;
  const lost = (call: string) => {
    if (call === "write" && ++writes === 2) throw replyLost();
  };
  const network = reachableWhile(() => world.device.jobs.length === 1);
  expect((await world.reconcile({ write: { network }, wire: { before: lost } })).error).toMatchObject({ code: "commit-stands" });
  expect((await world.reconcile({ write: { network } })).error).toMatchObject({ code: "commit-taken-back" });
  world.want(addresses({ a: "10.0.0.3" }));
  const comes = (call: string) => {
    if (call === "commit") world.device.write("netops", [setAddress(ADDRESS, "a", "10.0.0.1")]);
  };
  expect((await world.reconcile({ wire: { before: comes } })).error).toMatchObject({ code: "late-write" });
  expect((await world.reconcile()).error).toBeUndefined();
  expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.3" });
});

it("a revert without a reply that arrives while a later run writes is no fault of the target", async () => {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(addresses({ a: "10.0.0.2" }));
  world.device.failNextCommit = ["no memory left"];
  const lost = (call: string) => {
    if (call === "revert") throw replyLost();
  };
  expect((await world.reconcile({ wire: { before: lost } })).error).toMatchObject({ code: "candidate-not-restored" });
  // A restart takes the candidate and our lock along.
  world.device.revert("netops");
  world.device.locks.length = 0;
  const comes = (call: string) => {
    if (call !== "commit") return;
    world.device.revert("netops");
    world.device.write("netops", [setAddress(ADDRESS, "other", "10.0.0.9")]);
  };
  expect((await world.reconcile({ wire: { before: comes } })).error).toMatchObject({ code: "late-write" });
  expect((await world.reconcile()).error).toBeUndefined();
  expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.2" });
});

describe("a commit that its checks rolled back", () => {
  it("never owned an object of others: the suggested commands delete nothing of theirs", async () => {
    const world = await start();
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    world.want(watched({ ours: "10.0.0.1", made: "10.0.0.2", "h-23": "10.23.23.23" }));
    const taken = await world.reconcile({ write: { network: dying(world) } });
    expect(taken.error).toMatchObject({ code: "commit-taken-back" });
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
    expect(ledger(world).paths).toEqual([at("ours")]);
    world.want(addresses({ ours: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
  });

  it("leaves the ledger as before: an object that was only found is that again", async () => {
    const world = await start();
    world.want(addresses({ ours: "10.0.0.1", "h-23": "192.0.2.9" }));
    await world.reconcile();
    const before = ledger(world);
    expect(before.rows?.[at("h-23")]?.came).toBe("equal");
    world.want(watched({ ours: "10.0.0.1", "h-23": "10.23.23.23" }));
    await world.reconcile({ write: { network: dying(world) } });
    expect(ledger(world).rows).toEqual(before.rows);
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
  });

  it("is not retried by a later commit that does not change it; other places are fixed, and another value is applied", async () => {
    const world = await start();
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    const bad = { ours: "10.0.0.1", made: "10.0.0.2", more: "10.0.0.3" };
    world.want(watched(bad));
    expect((await world.reconcile({ write: { network: dying(world) } })).error).toMatchObject({ code: "commit-taken-back" });
    const { commits } = world.lab.device.state;
    const before = commits.length;
    world.want(watched({ ...bad, unrelated: "10.0.0.4" }));
    const again = await world.reconcile({ write: { network: alive } });
    expect(again.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("refused-commit") });
    expect(commits).toHaveLength(before);
    const { device } = world.lab;
    device.act("alice", { type: "config", action: "set", xpath: at("ours"), element: "<ip-netmask>10.9.9.9</ip-netmask>" });
    device.act("alice", { type: "commit", cmd: "<commit/>" });
    const healed = await world.reconcile({ write: { network: alive }, pass: { only: parsePath(at("ours")) } });
    expect(healed.error).toBeUndefined();
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
    expect((await world.reconcile({ write: { network: alive } })).error).toMatchObject({ code: "plan-refused" });
    world.want(watched(bad).replace("port: 443", "port: 8443"));
    expect((await world.plan()).plan?.refusals).toEqual([]);
    world.want(watched({ ...bad, made: "10.0.0.22" }));
    expect((await world.reconcile({ write: { network: alive } })).error).toBeUndefined();
    expect(live(world)).toMatchObject({ made: "10.0.0.22", more: "10.0.0.3" });
  });

  it("is rolled back also if the lock outlasts the commit", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    world.device.keepsLocks = true;
    const outcome = await world.reconcile({ write: { network: cut(world) }, machine: { isAlive: () => true } });
    expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9" });
    expect(world.device.locks).toEqual([]);
  });

  it("is completed by the next run also with a lease, if the earlier run was killed during the rollback", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    world.capabilities = { ...ALL, locks: false };
    let commits = 0;
    const after = (step: string) => (step === "commit" && ++commits === 2 ? Promise.reject(new Error("killed")) : undefined);
    await world.reconcile({ write: { network: cut(world), observer: { before: () => undefined, after } } });
    const next = await world.reconcile({ write: { network: cut(world) } });
    expect(next.error).toMatchObject({ code: "commit-taken-back" });
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9" });
  });

  it("is completed by the next run, which keeps an object that was created since with the same name and value", async () => {
    const world = await start();
    const { device } = world.lab;
    world.want(watched({ made: "10.0.0.2" }));
    let commits = 0;
    const after = (step: string) => (step === "commit" && ++commits === 2 ? Promise.reject(new Error("killed")) : undefined);
    const network = dying(world);
    await world.reconcile({ write: { network, observer: { before: () => undefined, after } } });
    expect(live(world)).toEqual({ "h-23": "192.0.2.9" });
    world.later(5_000);
    const element = "<ip-netmask>10.0.0.2</ip-netmask>";
    device.act("alice", { type: "config", action: "set", xpath: at("made"), element });
    device.act("alice", { type: "commit", cmd: "<commit/>" });
    const next = await world.reconcile({ write: { network, takeover: true } });
    expect(next.error).toMatchObject({ code: "commit-stands", message: expect.stringContaining("made") });
    expect(next.watch?.left).toEqual([{ xpath: at("made"), why: '"alice" has changed it since' }]);
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", made: "10.0.0.2" });
  });

  it.each([
    ["has begun to make", watched({ ours: "10.0.0.1", made: "10.0.0.2" }), "made", "10.0.0.2"],
    ["has begun to change", watched({ ours: "10.0.0.1", "h-23": "10.23.23.23" }), "h-23", "10.23.23.23"],
    ["has begun to remove", watched({ other: "10.0.0.3" }), "ours", undefined],
  ])("is finished by the next run, which leaves what somebody %s just so since it was taken back", async (_, wanted, name, value) => {
    const world = await start();
    const { device } = world.lab;
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    world.want(wanted);
    let commits = 0;
    const after = (step: string) => (step === "commit" && ++commits === 2 ? Promise.reject(new Error("killed")) : undefined);
    const network = dying(world);
    await world.reconcile({ write: { network, observer: { before: () => undefined, after } } });
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
    const element = `<ip-netmask>${value}</ip-netmask>`;
    const request = value === undefined ? { action: "delete", xpath: at(name) } : { action: "set", xpath: at(name), element };
    device.act("alice", { type: "config", ...request });
    expect((await world.reconcile({ write: { network, takeover: true } })).error).toMatchObject({ code: "commit-taken-back" });
    expect(live(world)).toEqual({ "h-23": "192.0.2.9", ours: "10.0.0.1" });
    device.act("alice", { type: "commit", cmd: "<commit><partial><admin><member>alice</member></admin></partial></commit>" });
    expect(live(world)[name]).toBe(value);
  });

  it.each([
    ["cannot be made", false],
    ["is made and taken back", true],
  ])("and %s after a run that was killed before its read-back leaves what that had made ours", async (_, isMade) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    const after = (step: string) => (step === "commit" ? Promise.reject(new Error("killed")) : undefined);
    await world.reconcile({ write: { observer: { before: () => undefined, after } } });
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    world.want(watched({ a: "10.0.0.1", b: "10.0.0.9", c: "10.0.0.3" }));
    const jobs = world.device.jobs.length;
    if (!isMade) world.device.failNextCommit = ["no"];
    const network = reachableWhile(() => world.device.jobs.length === jobs);
    const failed = await world.reconcile({ write: { network } });
    expect(failed.error).toMatchObject({ code: isMade ? "commit-taken-back" : "commit-failed" });
    world.want(addresses({ d: "10.0.0.4" }));
    await world.reconcile();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", d: "10.0.0.4" });
  });

  it("is not decided by a run of another machine while its run holds the lock", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    const living = { isAlive: () => true };
    const seen: (string | undefined)[] = [];
    const before = async (step: string) => {
      if (step === "commit") seen.push((await world.reconcile({ machine: { ...living, host: "b2" } })).error?.code);
    };
    const outcome = await world.reconcile({ write: { network: alive, observer: { before, after: () => undefined } }, machine: living });
    expect(seen).toEqual(["locked-by-run"]);
    expect(outcome.error).toBeUndefined();
    world.want(addresses({ b: "10.0.0.2" }));
    await world.reconcile();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", b: "10.0.0.2" });
  });

  it("waits if the rollback would commit work of others that started in the meantime", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    world.capabilities = { ...ALL, partialCommit: false };
    const busy: ProbeNetwork = {
      ...alive,
      tcp: async () => {
        if (world.device.jobs.length === 0) return;
        world.device.pending.push({ admin: "alice", operation: setAddress(ADDRESS, "half", "10.5.5.5") });
        throw new Error("refused");
      },
    };
    const outcome = await world.reconcile({ write: { network: busy } });
    expect(outcome.error).toMatchObject({ code: "commit-stands", message: expect.stringContaining("alice has uncommitted work") });
    expect(addressesOf(world.device.running)).not.toHaveProperty("half");
    world.device.revert("alice");
    expect((await world.reconcile({ write: { network: cut(world) } })).error).toMatchObject({ code: "commit-taken-back" });
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9" });
  });

  it("is owned once it is confirmed: its changes are deleted when they leave the files", async () => {
    const world = await start();
    world.want(watched({ "h-23": "10.23.23.23" }));
    expect((await world.reconcile({ write: { network: alive } })).error).toBeUndefined();
    expect(ledger(world).rows?.[at("h-23")]?.came).toBe("changed");
    world.want(addresses({ ours: "10.0.0.1" }));
    await world.reconcile();
    expect(live(world)).toEqual({ ours: "10.0.0.1" });
  });
});
