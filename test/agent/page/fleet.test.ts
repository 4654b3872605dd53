import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Fleet } from "../../../src/agent/page/fleet.js";
import type { RolloutStatus } from "../../../src/agent/rollouts.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { PassOutcome, Store } from "../../../src/agent/store/store.js";
import { passEnded } from "../events.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleet-"));
  store = await openStore({ kind: "sqlite", file: join(folder, "plumbline.db") }, { readOnly: false });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Records a pass that starts at this second and takes one second. */
async function pass(second: number, outcome: PassOutcome): Promise<void> {
  const started = second * 1000;
  const start = { target: "edge", pass: "reconcile", trigger: "timer", commit: undefined, started, runner: "one" } as const;
  await store.passes.record(start, { outcome, ended: started + 1000, exitCode: 1, reason: undefined, durations: {} });
}

function newFleet(rollout?: RolloutStatus | (() => RolloutStatus | undefined)): Fleet {
  const targets = new Map([["edge", { kind: "panos", mode: "enforce", approve: "none", labels: "" } as const]]);
  const controls = {
    targets: () => targets,
    commit: () => undefined,
    describe: async () => undefined,
    source: "",
    folder: () => "",
    pauses: async () => [],
    rollout: async () => (typeof rollout === "function" ? rollout() : rollout),
    hasAudit: () => false,
  };
  return new Fleet({ store, controls, now: () => 100_000 });
}

it.each([
  ["failed", ["in-sync", "failed", "partial", "interrupted", "skipped", "failed"], 20],
  ["refused", ["failed", "refused", "refused"], 20],
  ["failed", ["failed", "failed"], 10],
  ["failed", ["failed", "in-sync", "failed"], 30],
] as const)("a new process shows since when a target is %s: passes %j", async (state, outcomes, since) => {
  for (const [at, outcome] of outcomes.entries()) await pass(10 * (at + 1), outcome);
  expect(await newFleet().row("edge")).toMatchObject({ state, since });
});

it("keeps the start time when the store is read again, and restarts it after another error", async () => {
  await pass(10, "failed");
  const fleet = newFleet();
  await fleet.seed();
  await pass(20, "failed");
  await fleet.refresh();
  expect(await fleet.row("edge")).toMatchObject({ state: "failed", since: 10 });
  await pass(30, "refused");
  await pass(40, "refused");
  await fleet.refresh();
  expect(await fleet.row("edge")).toMatchObject({ state: "refused", since: 30 });
  await fleet.listen(passEnded("refused", { target: "edge", time: 50_000 }));
  expect(await fleet.row("edge")).toMatchObject({ state: "refused", since: 30 });
});

it("shows targets that left the configuration, also if they were reported before the page was opened", async () => {
  const fleet = newFleet();
  const departed = (warnings: readonly string[]) => ({ type: "targets-departed", commit: "c0ffee", warnings, time: 0 }) as const;
  await fleet.listen(departed(["target core left the configuration"]));
  await fleet.seed();
  expect((await fleet.view()).meta.alarms).toEqual(["target core left the configuration"]);
  await fleet.listen(departed([]));
  expect((await fleet.view()).meta.alarms).toEqual([]);
});

it("shows a roll-out in waves, and targets of later waves are not in sync until they are checked at its commit", async () => {
  await pass(10, "in-sync");
  const rollout = { commit: "c0ffeec0ffee42", wave: 1, of: 3, failed: ["core"], open: ["dmz"], left: ["edge", "lab"] };
  const fleet = newFleet(rollout);
  expect(await fleet.row("edge")).toMatchObject({ state: "pending", note: "Commit c0ffeec0ffee waits for a later wave of its roll-out." });
  const shown = { commit: rollout.commit, wave: 1, of: 3, isStopped: true, failed: ["core"], open: ["dmz"], left: 2 };
  expect((await fleet.view()).meta.rollout).toEqual(shown);
  await fleet.listen(passEnded("in-sync", { target: "edge", commit: rollout.commit, time: 50_000 }));
  expect(await fleet.row("edge")).toMatchObject({ state: "in-sync" });
});

it("marks targets of later waves when the roll-out begins, and ends with it", async () => {
  await pass(10, "in-sync");
  let rollout: RolloutStatus | undefined;
  const fleet = newFleet(() => rollout);
  expect(await fleet.row("edge")).toMatchObject({ state: "in-sync" });
  rollout = { commit: "c0ffee", wave: 1, of: 2, failed: [], open: ["core"], left: ["edge"] };
  await fleet.listen({ type: "rollout-wave", commit: "c0ffee", wave: 1, of: 2, targets: ["core"], time: 20_000 });
  expect(await fleet.row("edge")).toMatchObject({ state: "pending" });
  rollout = undefined;
  await fleet.listen({ type: "rollout-ended", commit: "c0ffee", targets: 2, time: 30_000 });
  expect((await fleet.view()).meta.rollout).toBeUndefined();
});

it("shows no progress of a commit without waves", async () => {
  const fleet = newFleet({ commit: "c0ffee", wave: 1, of: 1, failed: [], open: ["edge"], left: [] });
  expect((await fleet.view()).meta.rollout).toBeUndefined();
});
