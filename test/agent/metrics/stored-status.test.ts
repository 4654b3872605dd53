import { expect, it } from "vitest";
import { agentMetrics } from "../../../src/agent/metrics/page.js";
import { statusReader } from "../../../src/agent/metrics/stored-status.js";
import type { RolloutStatus } from "../../../src/agent/rollouts.js";
import type { PassEnd, Store } from "../../../src/agent/store/store.js";
import { known, outcome, passEnded, problem } from "../events.js";
import { onEachDatabase } from "../store/each-database.js";
import { drifted, end, MINUTE, start, T0 } from "../store/passes.js";

/** The metrics of one agent process on the store. */
function agentOn(store: Store, runner: string, now: () => number, rollout?: RolloutStatus) {
  const opened = agentMetrics({
    version: "1",
    now,
    ready: () => true,
    targets: () => ["edge", "core"],
    usage: async () => ({ bytes: 0, rows: 0 }),
    status: statusReader(store),
    rollout: async () => rollout,
    unanswered: async () => new Map<string, never>(),
    ignores: () => new Map(),
    ruleEnds: () => new Map(),
    channels: () => [],
    runner,
  });
  const of = async (name: string) =>
    Object.fromEntries(
      (await opened.page()).text
        .split("\n")
        .filter((line) => line.startsWith(`plumbline_${name}{`))
        .map((line) => [/target="(\w+)"/.exec(line)?.[1], Number(line.split(" ").at(-1))]),
    );
  return { ...opened, of };
}

const record = (store: Store, runner: string, at: number, more: Partial<PassEnd>, target = "edge") =>
  store.passes.record({ ...start(target, at), runner }, end(at + 1000, more));

const DRIFT: Partial<PassEnd> = { outcome: "pending", exitCode: 2, drift: { items: [drifted("a")] } };
const EQUAL: Partial<PassEnd> = { outcome: "in-sync", drift: { items: [] } };

onEachDatabase("gauges of targets", (database) => {
  it("do not show a target that was never reached as healthy, and count its age from the start", async () => {
    const store = await database.store();
    let now = T0;
    const metrics = agentOn(store, "here:1", () => now);
    expect(await metrics.of("last_pass_timestamp_seconds")).toEqual({ edge: T0 / 1000, core: T0 / 1000 });
    now += 5 * MINUTE;
    await record(store, "here:1", now, { outcome: "failed" });
    await metrics.listen(passEnded("failed", { time: now, outcome: outcome({ error: problem() }) }));
    expect(await metrics.of("last_pass_timestamp_seconds")).toEqual({ edge: T0 / 1000, core: T0 / 1000 });
    expect(await metrics.of("drift_items")).toEqual({});
    expect(await metrics.of("drift_age_seconds")).toEqual({});
    expect(await metrics.of("in_sync")).toEqual({ edge: 0, core: 0 });
  });

  it("do not show a target of a later wave as in sync, unless it was compared at the commit of the roll-out", async () => {
    const store = await database.store();
    await record(store, "here:1", T0, EQUAL);
    await record(store, "here:1", T0, EQUAL, "core");
    const { commit = "" } = start("core", T0);
    const inSync = (at: string) => {
      const rollout = { commit: at, wave: 1, of: 2, failed: ["edge"], open: [], left: ["core"] };
      return agentOn(store, "here:1", () => T0 + MINUTE, rollout).of("in_sync");
    };
    expect(await inSync(`${commit}-next`)).toEqual({ edge: 1, core: 0 });
    expect(await inSync(commit)).toEqual({ edge: 1, core: 1 });
  });

  it("continue after a restart with the drift and the last pass that the store has", async () => {
    const store = await database.store();
    await record(store, "here:1", T0, DRIFT);
    await record(store, "here:1", T0, EQUAL, "core");
    await record(store, "here:1", T0 + MINUTE, { outcome: "skipped" }, "core");
    await record(store, "here:1", T0 + 60 * MINUTE, { outcome: "failed" });
    // A restarted container has the same host and process id.
    const metrics = agentOn(store, "here:1", () => T0 + 61 * MINUTE);
    expect(await metrics.of("last_pass_timestamp_seconds")).toEqual({ edge: T0 / 1000 + 1, core: T0 / 1000 + 61 });
    expect(await metrics.of("drift_items")).toEqual({ edge: 1, core: 0 });
    expect(await metrics.of("drift_age_seconds")).toEqual({ edge: 61 * 60 - 1, core: 0 });
    expect(await metrics.of("in_sync")).toEqual({ edge: 0, core: 1 });
  });

  it("of a commit that waits are those of the newest pass", async () => {
    const store = await database.store();
    await record(store, "other:1", T0, { outcome: "pending", waiting: { changes: 3, held: "window" }, drift: { items: [] } });
    const metrics = agentOn(store, "here:1", () => T0 + MINUTE);
    expect(await metrics.of("pending_items")).toEqual({ edge: 3 });
    expect(await metrics.of("in_sync")).toEqual({ edge: 0, core: 0 });
    await record(store, "other:1", T0 + 2 * MINUTE, { outcome: "applied", drift: { items: [] } });
    expect(await metrics.of("pending_items")).toEqual({ edge: 0 });
    expect(await metrics.of("in_sync")).toEqual({ edge: 1, core: 0 });
  });

  it("follow the passes of another agent on the same store", async () => {
    const store = await database.store();
    const first = agentOn(store, "a:1", () => T0 + 90 * MINUTE);
    const second = agentOn(store, "b:1", () => T0 + 90 * MINUTE);
    await record(store, "a:1", T0, DRIFT);
    const judged = { name: "x", scope: "shared", state: "broken" } as never;
    await first.listen(passEnded("drifted", { time: T0 + 1000, drift: [known("a", T0)], outcome: sawAssertion(judged) }));
    expect(await first.of("drift_items")).toEqual({ edge: 1 });
    expect((await first.page()).text).toContain('plumbline_assertions{target="edge",state="broken"} 1');
    await record(store, "b:1", T0 + 80 * MINUTE, EQUAL);
    await second.listen(passEnded("in-sync", { time: T0 + 80 * MINUTE + 1000 }));
    for (const agent of [first, second]) {
      expect(await agent.of("drift_items")).toEqual({ edge: 0 });
      expect(await agent.of("drift_age_seconds")).toEqual({ edge: 0 });
      expect(await agent.of("in_sync")).toEqual({ edge: 1, core: 0 });
      expect(await agent.of("last_pass_timestamp_seconds")).toMatchObject({ edge: T0 / 1000 + 80 * 60 + 1 });
    }
    expect((await first.page()).text).not.toContain("plumbline_assertions{");
  });

  it("of holds are those of the store if it is shared, whichever agent saw them begin or end", async () => {
    const store = await database.store();
    if (store.shared === undefined) return;
    const metrics = agentOn(store, "a:1", () => T0);
    await metrics.listen({ type: "held", target: "edge", reason: "heal-guard", message: "", time: T0 });
    const { leases, prepare } = store.shared;
    await prepare();
    const keep = { applied: false, leavesWave: false, next: 1000, trigger: "timer" };
    for (const [target, state] of [
      ["edge", {}],
      ["core", { held: "window" }],
    ] as const) {
      const { grant } = await leases.acquire(target, "b", "source", { length: 1000, request: 0 });
      if (grant === undefined) throw new Error("no lease");
      await leases.release(grant, { ...keep, state: JSON.stringify(state) });
    }
    const { text } = await metrics.page();
    expect(text.split("\n").filter((line) => line.startsWith("plumbline_held{"))).toEqual([
      'plumbline_held{target="core",reason="window"} 1',
    ]);
  });
});

function sawAssertion(judged: never) {
  return { target: "edge", kind: "panos", warnings: [], assertions: [judged], drift: { items: [], refusals: [] } } as never;
}
