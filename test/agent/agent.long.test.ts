import { describe, expect, it } from "vitest";
import { storedStatuses } from "../../src/agent/rollouts.js";
import { flagsOf } from "../../src/engine/allowance.js";
import { gitIn } from "../../src/engine/checkout/git.js";
import { GitStore } from "../../src/engine/ledger/git-store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

describe("an agent", () => {
  it("applies the first commit, and then each push", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    const commit = world.push("b");
    const applied = await world.after(4 * MINUTE, "applied");
    expect(applied).toMatchObject({ target: "edge", trigger: "git", commit });
    expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1", b: "10.0.0.2" });
  });

  it("reports a manual change with author and time, and heals it", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    world.meddle("a", "10.9.9.9");
    const drift = await world.after(20 * MINUTE, "drift-appeared");
    expect(drift.item.attribution?.admin).toBe("alice");
    expect(drift.item.change.path.toString()).toContain("entry[@name='a']");
    expect(drift.firstSeen).toBe(world.clock.now());
    expect(drift.declaredAt).toMatchObject({ file: expect.stringMatching(/edge.*\.yaml$/) as string, line: expect.any(Number) as number });
    await world.event("drift-resolved", ({ how }) => how === "healed");
    expect(world.addressesOf().a).toBe("10.0.0.1");
    await world.settle();
    const page = await world.store?.history.find({ limit: 100, kinds: ["drift", "heal", "pass"] });
    expect(page?.entries.some(({ kind, author }) => kind === "drift" && author === "alice")).toBe(true);
    expect(page?.entries.some(({ kind }) => kind === "heal")).toBe(true);
    const results = world.events.flatMap((event) => (event.type === "pass-ended" ? [event.result] : []));
    const outcomes = page?.entries.filter(({ kind }) => kind === "pass").map(({ outcome }) => outcome);
    expect(results).toContain("drifted");
    expect(outcomes?.toReversed()).toEqual(results);
  });

  it("only reports in mode observe", async () => {
    const world = await AgentWorld.startForTest({ target: "mode: observe" });
    await world.run();
    const ended = await world.event("pass-ended");
    expect(ended.result).toBe("drifted");
    expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9" });
  });
});

describe("a write is stopped by", () => {
  it("a pause, until it ends", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    await world.settle();
    const since = world.clock.now();
    await world.store?.pauses.pause({ target: "edge", reason: "break glass", by: "ann", since, until: since + 60 * MINUTE });
    world.meddle("a", "10.9.9.9");
    const held = await world.after(20 * MINUTE, "held");
    expect(held).toMatchObject({ target: "edge", reason: "paused" });
    expect(world.addressesOf().a).toBe("10.9.9.9");
    await world.after(41 * MINUTE, "resumed", ({ why }) => why === "expired");
    await world.event("drift-resolved", ({ how }) => how === "healed");
    expect(world.addressesOf().a).toBe("10.0.0.1");
  });

  it("a pause that another machine wrote next to the ledgers, until this agent gets a resume", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    const board = new NoticeBoard(new GitStore(gitIn(world.work), "origin"), "others");
    await board.pause({ target: undefined, reason: "freeze", by: "ci", since: 0, until: undefined });
    await world.after(4 * MINUTE, "paused", ({ pause }) => pause.by === "ci");
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "held", ({ reason }) => reason === "paused");
    expect(world.addressesOf().a).toBe("10.9.9.9");
    const from = world.events.length;
    await world.open?.controls.resume(undefined, "ann");
    await world.settle();
    world.clock.advance(20 * MINUTE);
    await world.event("drift-resolved", ({ how }) => how === "healed", from);
  });

  it("a closed window", async () => {
    const world = await AgentWorld.startForTest({ agent: 'windows: [{ allow: "0 22 * * *", for: 2h }]' });
    await world.run();
    expect(await world.event("held")).toMatchObject({ reason: "window", until: Date.UTC(2026, 0, 5, 22) });
    await world.after(10 * 60 * MINUTE, "applied");
    expect(world.addressesOf().a).toBe("10.0.0.1");
  });

  it("an administrator who changes a value back repeatedly", async () => {
    const world = await AgentWorld.startForTest({ agent: "healLimit: 2\ndriftInterval: 5m" });
    await world.run();
    await world.event("applied");
    for (const value of ["10.9.9.1", "10.9.9.2"]) {
      world.meddle("a", value);
      await world.after(6 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    }
    world.meddle("a", "10.9.9.3");
    const tripped = await world.after(6 * MINUTE, "heal-guard-tripped");
    expect(tripped).toMatchObject({ target: "edge", heals: 2 });
    for (let i = 0; i < 20; i++) await world.after(6 * MINUTE, "pass-ended");
    expect(world.addressesOf().a).toBe("10.9.9.3");
    expect(world.seen("heal-guard-tripped")).toBe(1);
    world.want("edge", { a: "10.0.0.7" });
    world.push("somebody settles it in git");
    await world.after(4 * MINUTE, "applied");
    expect(world.addressesOf().a).toBe("10.0.0.7");
  });

  it("an unapproved plan", async () => {
    const world = await AgentWorld.startForTest({ target: "approve: required" });
    await world.run();
    const held = await world.event("held");
    expect(held.reason).toBe("approval");
    const digest = /plan ([0-9a-f]{64})/.exec(held.message)?.[1] ?? "";
    await world.settle();
    await world.store?.approvals.approve({ target: "edge", digest, by: "ann", at: world.clock.now(), source: undefined });
    const applied = await world.after(20 * MINUTE, "applied");
    expect(applied.digest).toBe(digest);
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "held", ({ reason, message }) => reason === "approval" && !message.includes(digest));
    expect(world.addressesOf().a).toBe("10.9.9.9");
  });

  it("a guard, until a user allows exactly the shown plan, once", async () => {
    const world = await AgentWorld.startForTest();
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace("short: 100%", "short: 50%"));
    const all = { a: "10.0.0.1", b: "10.0.0.2", c: "10.0.0.3", d: "10.0.0.4" };
    world.want("edge", all);
    world.push("four");
    await world.run();
    await world.event("applied");
    await world.settle();
    const { controls } = world.open ?? {};
    if (controls === undefined) throw new Error("no agent");
    world.want("edge", { a: "10.0.0.1" });
    world.push("one");
    const { digest, refusals } = await world.after(4 * MINUTE, "plan-refused");
    const flags = flagsOf(refusals) ?? [];
    expect(flags).toEqual([expect.stringContaining("--allow deletes=")]);
    const given = { target: "edge", digest, flags, by: "ann (page)", at: world.clock.now() };
    // An approval of another plan or for another refusal has no effect.
    await controls.allow({ ...given, digest: "0".repeat(64) });
    await controls.allow({ ...given, flags: ["--allow deletes=99%"] });
    await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "refused");
    expect(world.addressesOf()).toMatchObject(all);
    const from = world.events.length;
    await controls.allow({ ...given, at: world.clock.now() });
    expect((await world.event("applied", () => true, from)).digest).toBe(digest);
    expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
    const { entries } = (await world.store?.history.find({ kinds: ["approval"], limit: 9 })) ?? { entries: [] };
    expect(entries.map(({ author, outcome }) => `${author} ${outcome}`)).toContain("ann (page) allowed");
    // The same again is another time.
    world.want("edge", all);
    world.push("four again");
    await world.after(4 * MINUTE, "applied");
    world.want("edge", { a: "10.0.0.1" });
    world.push("one again");
    await world.after(4 * MINUTE, "plan-refused", (event) => event.digest === digest);
    await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "refused");
    expect(world.addressesOf()).toMatchObject(all);
  });

  it("a lock of another administrator", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    await world.settle();
    world.meddle("a", "10.9.9.9");
    world.device().act("alice", { type: "op", cmd: "<request><config-lock><add><comment>mine</comment></add></config-lock></request>" });
    const held = await world.after(20 * MINUTE, "held");
    expect(held.reason).toBe("locked");
    world.device().act("alice", { type: "op", cmd: "<request><config-lock><remove></remove></config-lock></request>" });
    await world.after(2 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
  });
});

describe("a commit", () => {
  it("that does not load leaves the last good one active, and drift is reported against it", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    const good = (await world.event("commit-in-force")).commit;
    await world.event("applied");
    world.write("edge/objects.yaml", "target: edge\nscope: vsys1\nconfig:\n  address: [\n");
    world.push("broken");
    expect(await world.after(4 * MINUTE, "commit-broken")).toMatchObject({ inForce: good });
    world.meddle("a", "10.9.9.9");
    expect(await world.after(20 * MINUTE, "drift-appeared")).toMatchObject({ commit: good });
    await world.event("drift-resolved", ({ how }) => how === "healed");
    expect(world.seen("commit-broken")).toBe(1);
    const page = await world.store?.history.find({ limit: 100, kinds: ["commit"] });
    expect(page?.entries.length).toBeGreaterThanOrEqual(2);
    world.want("edge", { a: "10.0.0.3" });
    world.push("mended");
    await world.after(4 * MINUTE, "applied");
    expect(world.addressesOf().a).toBe("10.0.0.3");
  });

  it("affects the targets whose files it changes, and no others", async () => {
    const world = await AgentWorld.startForTest({ targets: ["edge", "core", "lab"] });
    await world.run();
    for (const name of world.names) await world.event("applied", ({ target }) => target === name);
    world.want("core", { a: "10.0.0.4" });
    world.push("core alone");
    const inForce = await world.after(4 * MINUTE, "commit-in-force");
    expect(inForce.targets).toEqual(["core"]);
    await world.event("applied", ({ target, trigger }) => target === "core" && trigger === "git");
    await world.settle();
    const since = world.events.indexOf(inForce);
    expect(new Set(world.events.slice(since).flatMap((event) => (event.type === "applied" ? [event.target] : [])))).toEqual(
      new Set(["core"]),
    );
  });

  it("that replaces another one by a force-push is reported, and used if rewinds are allowed", async () => {
    const world = await AgentWorld.startForTest();
    world.signatures = { allowRewind: true };
    world.want("edge", { a: "10.0.0.2" });
    world.push("second");
    await world.run();
    await world.event("applied");
    world.git("reset", "--quiet", "--hard", "HEAD~1");
    world.want("edge", { a: "10.0.0.1", c: "10.0.0.9" });
    const commit = world.push("another second");
    expect(await world.after(4 * MINUTE, "source-rewound")).toMatchObject({ commit });
    const alarms = await world.store?.history.find({ limit: 100, kinds: ["alarm"] });
    expect(alarms?.entries.map(({ outcome }) => outcome)).toEqual(["source-rewound"]);
    await world.event("applied", (event) => event.commit === commit);
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", c: "10.0.0.9" });
  });

  it("that fails is retried with growing delays, and then on hold until git changes", async () => {
    const world = await AgentWorld.startForTest({ agent: "attempts: 3" });
    await world.run();
    await world.event("applied");
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["no"] }, count: 100 });
    world.want("edge", { a: "10.0.0.2" });
    world.push("fails");
    expect(await world.after(4 * MINUTE, "apply-failed")).toMatchObject({ attempt: 1 });
    expect(await world.after(2 * MINUTE, "apply-failed")).toMatchObject({ attempt: 2 });
    expect(await world.after(3 * MINUTE, "apply-failed")).toMatchObject({ attempt: 3, retryAt: undefined });
    for (let i = 0; i < 8; i++) await world.after(20 * MINUTE, "pass-ended");
    expect(world.seen("apply-failed")).toBe(3);
    world.lab.clearFaults();
    world.want("edge", { a: "10.0.0.3" });
    world.push("better");
    await world.after(4 * MINUTE, "applied", ({ trigger }) => trigger === "git");
    expect(world.addressesOf().a).toBe("10.0.0.3");
  });

  it("goes to the canary first, then in batches, and stops at the first failure", async () => {
    const world = await AgentWorld.startForTest({
      targets: ["a1", "a2", "b1", "b2"],
      agent: "rollout: { canary: [b1], batch: 2, apart: [[a1, a2]] }",
    });
    await world.run();
    await world.event("rollout-ended");
    expect(world.events.flatMap((event) => (event.type === "rollout-wave" ? [event.targets] : []))).toEqual([["b1"], ["a1", "b2"], ["a2"]]);
    world.lab.fault({ match: { type: "commit", device: "a1" }, effect: { kind: "job-fails", lines: ["no"] }, count: 100 });
    for (const name of world.names) world.want(name, { a: "10.0.0.2" });
    world.push("all");
    const stopped = await world.after(4 * MINUTE, "rollout-stopped");
    expect(stopped).toMatchObject({ failed: "a1", left: ["a2"] });
    await world.settle();
    expect(world.addressesOf("b1").a).toBe("10.0.0.2");
    expect(world.addressesOf("a2").a).toBe("10.0.0.1");
    const stored = async () => (world.store === undefined ? undefined : await storedStatuses(world.store));
    // The other target of the wave may still be open when the roll-out stops.
    expect(await stored()).toMatchObject([{ commit: stopped.commit, wave: 2, of: 3, failed: ["a1"], left: ["a2"] }]);
    world.lab.clearFaults();
    await world.after(2 * MINUTE, "rollout-ended");
    expect(world.addressesOf("a2").a).toBe("10.0.0.2");
    await world.settle();
    expect(await stored()).toEqual([]);
  });
});

it("a stopped roll-out continues after another run has applied the commit to the failed target", async () => {
  const world = await AgentWorld.startForTest({ targets: ["a1", "a2"], agent: "attempts: 1\nrollout: { canary: [a1] }" });
  await world.run();
  await world.event("rollout-ended");
  world.lab.fault({ match: { type: "commit", device: "a1" }, effect: { kind: "job-fails", lines: ["no"] }, count: 100 });
  for (const name of world.names) world.want(name, { a: "10.0.0.2" });
  const commit = world.push("all");
  await world.after(4 * MINUTE, "rollout-stopped");
  await world.after(20 * MINUTE, "pass-ended", ({ target }) => target === "a1");
  world.lab.clearFaults();
  expect((await world.reconcileInWork({ targets: ["a1"] }))?.error).toBeUndefined();
  expect(world.addressesOf("a1").a).toBe("10.0.0.2");
  await world.after(20 * MINUTE, "rollout-ended");
  expect(world.addressesOf("a2").a).toBe("10.0.0.2");
  expect(world.events.find((event) => event.type === "applied" && event.target === "a2" && event.commit === commit)).toBeDefined();
}, 30_000);

describe("a commit that affects more targets than guards.targets", () => {
  const NAMES = ["a", "b", "c"];
  const started = async (): Promise<AgentWorld> => {
    const world = await AgentWorld.startForTest({ targets: NAMES });
    await world.run();
    await world.event("rollout-ended");
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace("guards: { ", "guards: { targets: 2, "));
    world.push("limit");
    await world.after(4 * MINUTE, "commit-in-force");
    await world.settle();
    return world;
  };

  it("is refused on each of them, and applied once it is rolled out in waves", async () => {
    const world = await started();
    for (const name of NAMES) world.want(name, { a: "10.0.0.2" });
    world.push("all");
    const refused = await world.after(4 * MINUTE, "plan-refused");
    expect(refused.refusals).toMatchObject([{ guard: "targets", allow: "--allow targets=3" }]);
    await world.settle();
    expect(world.events.filter(({ type }) => type === "plan-refused")).toHaveLength(3);
    expect(NAMES.map((name) => world.addressesOf(name).a)).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.1"]);
    world.write("plumbline.yaml", `${world.read("plumbline.yaml").trimEnd()}\nagent: { rollout: { canary: [b] } }\n`);
    world.push("in waves");
    await world.after(4 * MINUTE, "rollout-ended");
    expect(NAMES.map((name) => world.addressesOf(name).a)).toEqual(["10.0.0.2", "10.0.0.2", "10.0.0.2"]);
  });

  it("is refused at the first start of an agent, too", async () => {
    const world = await AgentWorld.startForTest({ targets: NAMES });
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace("guards: { ", "guards: { targets: 2, "));
    world.push("limit");
    await world.run();
    const refused = await world.event("plan-refused");
    expect(refused.refusals).toMatchObject([{ guard: "targets", allow: "--allow targets=3" }]);
    await world.settle();
    expect(NAMES.map((name) => world.addressesOf(name).a)).toEqual([undefined, undefined, undefined]);
  });

  it("is applied if some of them already match it", async () => {
    const world = await started();
    for (const name of NAMES) world.write(`${name}/objects.yaml`, `${world.read(`${name}/objects.yaml`)}# looked at\n`);
    world.want("b", { a: "10.0.0.2" });
    world.push("one of three");
    await world.after(4 * MINUTE, "rollout-ended");
    expect(world.addressesOf("b").a).toBe("10.0.0.2");
  });
});

describe("a pass is skipped", () => {
  it("while nothing changes, for a limited time", async () => {
    const world = await AgentWorld.startForTest({ agent: "skipPasses: 2" });
    await world.run();
    await world.event("applied");
    const results: string[] = [];
    for (let i = 0; i < 5; i++) results.push((await world.after(20 * MINUTE, "pass-ended")).result);
    expect(results).toEqual(["in-sync", "skipped", "skipped", "in-sync", "skipped"]);
    world.meddle("theirs", "192.0.2.10");
    expect((await world.after(20 * MINUTE, "pass-ended")).result).toBe("in-sync");
    expect((await world.after(20 * MINUTE, "pass-ended")).result).toBe("skipped");
    world.push("an empty commit");
    await world.after(4 * MINUTE, "commit-in-force");
    expect((await world.after(20 * MINUTE, "pass-ended")).result).toBe("skipped");
  });
});

describe("agent --once", () => {
  it("fetches, visits every target, and ends", async () => {
    const world = await AgentWorld.startForTest({ targets: ["edge", "core"] });
    expect(await world.once()).toEqual(
      new Map([
        ["edge", "applied"],
        ["core", "applied"],
      ]),
    );
    expect(await world.once()).toEqual(
      new Map([
        ["edge", "in-sync"],
        ["core", "in-sync"],
      ]),
    );
  });
});
