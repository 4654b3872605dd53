import { describe, expect, it } from "vitest";
import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import { thisMachine } from "../../../src/engine/pass/machine.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { sent, tagsOf, wantWatched, watchedWorld } from "./watched-world.js";

/** Ends a run before or after a step, when it comes to it for the n-th time since the commit. */
function killAt(when: "before" | "after", step: StepName, nth: number): StepObserver {
  let seen = 0;
  let isCommitted = false;
  const kill = (at: "before" | "after") => (name: StepName) => {
    if (name === "commit" && at === "after") isCommitted = true;
    if (at === when && name === step && isCommitted && ++seen === nth) throw new Error("killed");
  };
  return { before: kill("before"), after: kill("after") };
}

const MOMENTS: readonly (readonly ["before" | "after", StepName, number])[] = [
  ["after", "commit", 1],
  ["after", "push-validate", 1],
  ["after", "push", 1],
  ["before", "watch", 1],
  ["after", "watch-decide", 1],
  ["after", "take-back", 1],
  ["after", "push", 2],
  ["before", "watch-end", 1],
];

describe("a push with failing checks, killed", () => {
  it.each(MOMENTS)("%s the step %s (number %i) is continued, and ends with no firewall that has it", async (when, step, nth) => {
    const world = await watchedWorld("bad", "a");
    await world.reconcile(killAt(when, step, nth)).catch(() => undefined);
    world.machine = { ...thisMachine, pid: thisMachine.pid + 1, isAlive: () => false };
    const { error } = await world.reconcile();
    const known = await world.reconcile();
    expect([error?.code, known.error?.code], error?.message).toContain("plan-refused");
    expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([[], []]);
    // Once in each direction, regardless of the author.
    expect(sent(world)).toEqual(["push a", "push a"]);
    wantWatched(world, "good");
    expect(exitCode([await world.reconcile()])).toBe(0);
  });
});
