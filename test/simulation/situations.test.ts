import { expect, it } from "vitest";
import { cloudScriptOf } from "./cloud-script.js";
import { type Script, type Step, scriptOf } from "./script.js";

const SEEDS = 1000;

/** Returns in how many histories of the first seeds each kind of step occurs. */
function histories(draw: (seed: number) => Script): ReadonlyMap<Step["do"], number> {
  const count = new Map<Step["do"], number>();
  for (let seed = 1; seed <= SEEDS; seed++)
    for (const kind of new Set(draw(seed).steps.map((step) => step.do))) count.set(kind, (count.get(kind) ?? 0) + 1);
  return count;
}

it("draws each situation for a firewall in at least 50 of 1,000 histories", () => {
  const count = histories(scriptOf);
  for (const kind of [
    "meddle-at-lock",
    "meddle-at-write",
    "lose-commit",
    "back-up-ledger",
    "restore-ledger",
    "meddle-with-rules",
    "move-target",
    "start-second-agent",
  ] as const)
    expect(count.get(kind) ?? 0, kind).toBeGreaterThan(50);
});

it("draws a suspended machine and a run that is killed at a server in at least 30 of 1,000 histories of a cloud", () => {
  const count = histories(cloudScriptOf);
  expect(count.get("stall-at-write") ?? 0).toBeGreaterThan(50);
  expect(count.get("kill-at-server") ?? 0).toBeGreaterThan(30);
});
