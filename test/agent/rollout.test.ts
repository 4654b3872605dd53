import { describe, expect, it } from "vitest";
import { Rollout } from "../../src/agent/rollout.js";

describe("a roll-out", () => {
  it("continues when a wave is done, and stops at the first failure until that target is fixed", () => {
    const rollout = new Rollout("c", [["a", "b"], ["c"], ["d"]]);
    expect([rollout.hasTurn("a"), rollout.hasTurn("c")]).toEqual([true, false]);
    expect(rollout.ended("a", "done")).toEqual({ next: [], stopped: false });
    expect(rollout.ended("b", "failed")).toEqual({ next: [], stopped: true });
    expect(rollout.ended("b", "failed")).toEqual({ next: [], stopped: false });
    expect(rollout.left).toEqual(["c", "d"]);
    expect(rollout.ended("b", "done")).toEqual({ next: ["c"], stopped: false });
    expect(rollout.ended("c", "left-out")).toEqual({ next: ["d"], stopped: false });
    expect(rollout.ended("d", "waits")).toEqual({ next: [], stopped: false });
    expect(rollout.isOver).toBe(false);
    rollout.ended("d", "done");
    expect(rollout.isOver).toBe(true);
    expect(rollout.unfinished).toEqual([]);
  });

  it("does not count silent targets of an earlier commit for the limit", () => {
    const rollout = new Rollout("c", [["a", "b", "gone", "away"]], 2, new Set(["gone", "away"]));
    expect(["a", "b", "gone"].map((target) => rollout.atOnce(target))).toEqual([2, 2, 3]);
    const all = new Rollout("c", [["a", "b", "gone", "away"]], 2);
    expect(all.atOnce("a")).toBe(4);
  });

  it("without targets ends immediately", () => {
    expect(new Rollout("c", []).isOver).toBe(true);
  });
});
