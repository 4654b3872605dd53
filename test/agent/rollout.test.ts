import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apartOf, Rollout, wavesOf } from "../../src/agent/rollout.js";

const none = new Map<string, ReadonlySet<string>>();

describe("waves", () => {
  it("are canaries first, then batches", () => {
    expect(wavesOf(["a", "b", "c", "d", "e"], { canary: ["d"], batch: 2, apart: [] }, none)).toEqual([["d"], ["a", "b"], ["c", "e"]]);
    expect(wavesOf(["a", "b"], { canary: [], batch: undefined, apart: [] }, none)).toEqual([["a", "b"]]);
    expect(wavesOf([], { canary: ["x"], batch: 1, apart: [] }, none)).toEqual([]);
  });

  it("hold every target once, no more than a batch, and never two that must be apart", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-f]$/), { minLength: 1, maxLength: 6 });
    const groups = fc.array(fc.uniqueArray(fc.stringMatching(/^[a-f]$/), { minLength: 2, maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(names, groups, fc.integer({ min: 1, max: 4 }), fc.subarray(["a", "b"]), (targets, together, batch, canary) => {
        const apart = apartOf(together, new Map());
        const waves = wavesOf(targets, { canary, batch, apart: together }, apart);
        expect(waves.flat().sort()).toEqual([...targets].sort());
        const canaries = targets.filter((name) => canary.includes(name));
        expect(waves.flat().slice(0, canaries.length).sort()).toEqual([...canaries].sort());
        for (const wave of waves) {
          if (!wave.some((name) => canary.includes(name))) expect(wave.length).toBeLessThanOrEqual(batch);
          for (const group of together) expect(wave.filter((name) => group.includes(name)).length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("keep apart targets one of which names the other as its peer", () => {
    const apart = apartOf(
      [],
      new Map([
        ["left", { own: "https://10.0.0.1", peers: ["https://10.0.0.2/"] }],
        ["right", { own: "https://10.0.0.2", peers: [] }],
        ["alone", { own: "https://10.0.0.3", peers: [] }],
      ]),
    );
    expect(wavesOf(["left", "right", "alone"], { canary: [], batch: undefined, apart: [] }, apart)).toEqual([["left", "alone"], ["right"]]);
  });
});

describe("a roll-out", () => {
  it("goes on when a wave is done, and stops at the first failure until that target is well", () => {
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

  it("without targets is over at once", () => {
    expect(new Rollout("c", []).isOver).toBe(true);
  });
});
