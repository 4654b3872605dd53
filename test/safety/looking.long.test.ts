import { afterEach, describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { agentMetrics } from "../../src/agent/metrics/page.js";
import { newRow, rememberedRow, rowAfter } from "../../src/agent/page/fleet-row.js";
import { AgentWorld, type AgentWorldOptions } from "../agent/world.js";

const MINUTE = 60_000;
const worlds: AgentWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** `a`, `kept`, `old` and `older` are applied. */
async function begin(options: AgentWorldOptions = {}): Promise<AgentWorld> {
  const world = await AgentWorld.start(options);
  worlds.push(world);
  world.want("edge", { a: "10.0.0.1", kept: "10.0.0.7", old: "10.0.0.8", older: "10.0.0.9" });
  world.push("four");
  await world.run();
  await world.event("applied");
  await world.settle();
  return world;
}

/** A commit that gives `a` another value, and takes `old` and `older` away, which its guard does not let pass. */
async function refused(): Promise<AgentWorld> {
  const world = await begin();
  world.write("plumbline.yaml", world.read("plumbline.yaml").replace("deletes: 100%", "deletes: 0%").replace("from: 10", "from: 0"));
  world.want("edge", { a: "10.0.0.2", kept: "10.0.0.7" });
  world.push("two go, which the guard does not allow");
  await world.after(4 * MINUTE, "plan-refused");
  await world.settle();
  return world;
}

type Ended = Extract<AgentEvent, { type: "pass-ended" }>;

function lastLook(world: AgentWorld): Ended {
  const looks = world.events.filter((event): event is Ended => event.type === "pass-ended" && event.waiting !== undefined);
  const last = looks.at(-1);
  if (last === undefined) throw new Error("nobody looked");
  return last;
}

const openDrift = async (world: AgentWorld) => (await world.store?.drift.open("edge"))?.map(({ path, author }) => [nameIn(path), author]);
const nameIn = (path: string): string => /entry\[@name='([^']+)'\](?:\/[^[]*)?$/.exec(path)?.[1] ?? path;

describe("while a commit is refused", () => {
  it("its differences are counted, are no drift, and are not in sync, also after a restart", async () => {
    const world = await refused();
    expect(lastLook(world)).toMatchObject({ result: "pending", drift: [], waiting: { changes: 3, held: "refused" } });
    expect(await openDrift(world)).toEqual([]);
    expect(world.seen("drift-appeared")).toBe(0);
    const row = world.events.reduce(rowAfter, newRow("edge", { kind: "panos", mode: "enforce" }));
    expect(row).toMatchObject({ state: "refused", pending: 3, drifts: 0 });
    const [latest] = (await world.store?.passes.latest()) ?? [];
    expect(latest).toMatchObject({ outcome: "pending", detail: { waiting: { changes: 3, held: "refused" } } });
    expect(rememberedRow(newRow("edge", { kind: "panos", mode: "enforce" }), latest, undefined)).toMatchObject({
      state: "refused",
      pending: 3,
    });
  });

  it("a manual change is reported with its author, and healed if the commit does not change it", async () => {
    const world = await refused();
    world.meddle("kept", "10.9.9.9");
    const drift = await world.after(20 * MINUTE, "drift-appeared");
    expect(drift.item.attribution?.admin).toBe("alice");
    await world.event("drift-resolved", ({ how }) => how === "healed");
    await world.settle();
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", kept: "10.0.0.7", old: "10.0.0.8" });
    const rows = await world.store?.history.find({ limit: 50, kinds: ["drift", "heal"] });
    expect(rows?.entries.map(({ kind, path, author }) => [kind, nameIn(path ?? ""), author]).sort()).toEqual([
      ["drift", "kept", "alice"],
      ["heal", "kept", undefined],
    ]);
    expect(lastLook(world)).toMatchObject({ waiting: { changes: 3, held: "refused" } });
    expect(world.seen("released")).toBe(0);
  });

  it("a manual change that is reverted before the heal makes no target in sync", async () => {
    const world = await refused();
    world.meddle("kept", "10.9.9.9");
    world.open?.events.listen(({ type }) => {
      if (type === "drift-appeared") world.meddle("kept", "10.0.0.7");
    });
    const from = world.events.length;
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    await world.settle();
    const ended = world.events.slice(from).filter((event): event is Ended => event.type === "pass-ended");
    expect(ended.map(({ result }) => result)).toEqual(["refused", "drifted", "pending"]);
    expect((await world.store?.passes.latest())?.[0]).toMatchObject({ outcome: "pending", detail: { waiting: { changes: 3 } } });
  });

  it("a manual change of a value that the commit changes too is drift, and left to the commit", async () => {
    const world = await refused();
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-appeared", ({ item }) => item.attribution?.admin === "alice");
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    expect(lastLook(world)).toMatchObject({ result: "drifted", waiting: { changes: 2, held: "refused" } });
    expect(await openDrift(world)).toEqual([["a", "alice"]]);
    const metrics = agentMetrics({
      version: "1",
      now: () => world.clock.now(),
      ready: () => true,
      targets: () => ["edge"],
      usage: async () => ({ bytes: 0, rows: 0 }),
      status: async () => ({ targets: new Map(), held: undefined }),
      rollout: async () => undefined,
      unanswered: async () => new Map<string, never>(),
      ignores: () => new Map(),
      ruleEnds: () => new Map(),
      channels: () => [],
      runner: "here:1",
    });
    for (const event of world.events) await metrics.listen(event);
    const { text } = await metrics.page();
    expect(text).toContain('plumbline_drift_items{target="edge"} 1');
    expect(text).toContain('plumbline_pending_items{target="edge"} 2');
    expect(text).toContain("plumbline_targets_in_drift 1");
    // After the override, the pending change is written over the manual change, and then no change is pending.
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace("deletes: 0%", "deletes: 100%"));
    world.push("let through");
    await world.after(4 * MINUTE, "applied");
    await world.settle();
    for (const event of world.events) await metrics.listen(event);
    expect((await metrics.page()).text).toContain('plumbline_pending_items{target="edge"} 0');
  });

  it("an object that is deleted or added manually is drift, whatever waits", async () => {
    const world = await refused();
    world.act("edge", { type: "config", action: "delete", xpath: world.addressPath("old") });
    await world.after(20 * MINUTE, "pass-ended", ({ waiting }) => waiting?.changes === 2);
    world.act("edge", { type: "config", action: "delete", xpath: world.addressPath("a") });
    const drift = await world.after(20 * MINUTE, "drift-appeared");
    expect(drift.item.change).toMatchObject({ kind: "missing" });
    expect(world.addressesOf().a).toBeUndefined();
  });
});

describe("a commit that waits for something else", () => {
  it("a closed window heals nothing, and reports manual changes", async () => {
    const world = await begin();
    world.configure('windows: [{ allow: "0 22 * * *", for: 2h }]');
    world.want("edge", { a: "10.0.0.2", kept: "10.0.0.7", old: "10.0.0.8", older: "10.0.0.9" });
    world.push("in the evening");
    await world.after(4 * MINUTE, "held", ({ reason }) => reason === "window");
    await world.settle();
    expect(lastLook(world)).toMatchObject({ result: "pending", drift: [], waiting: { changes: 1, held: "window" } });
    world.meddle("kept", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-appeared");
    await world.settle();
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", kept: "10.9.9.9" });
  });

  it("a missing approval heals nothing either: every write needs approval", async () => {
    const world = await begin();
    world.configure("", "approve: required");
    world.want("edge", { a: "10.0.0.2", kept: "10.0.0.7", old: "10.0.0.8", older: "10.0.0.9" });
    world.push("to be approved");
    await world.after(4 * MINUTE, "held", ({ reason }) => reason === "approval");
    await world.settle();
    world.meddle("kept", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-appeared", ({ item }) => item.attribution?.admin === "alice");
    await world.settle();
    expect(world.addressesOf().kept).toBe("10.9.9.9");
  });

  it("a failed apply does not prevent heals elsewhere", async () => {
    const world = await begin({ agent: "attempts: 1" });
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["no"] } });
    world.want("edge", { a: "10.0.0.2", kept: "10.0.0.7", old: "10.0.0.8", older: "10.0.0.9" });
    world.push("fails");
    await world.after(4 * MINUTE, "apply-failed");
    await world.settle();
    expect(lastLook(world)).toMatchObject({ result: "pending", drift: [], waiting: { changes: 1 } });
    world.meddle("kept", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", kept: "10.0.0.7" });
  });
});
