import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apartOf, wavesOf } from "../../src/engine/rollout-waves.js";

const none = new Map<string, ReadonlySet<string>>();
const alone = (): string[] => [];

describe("waves", () => {
  it("are canaries first, then batches", () => {
    expect(wavesOf(["a", "b", "c", "d", "e"], { canary: ["d"], batch: 2, apart: [] }, none, alone)).toEqual([
      ["d"],
      ["a", "b"],
      ["c", "e"],
    ]);
    expect(wavesOf(["a", "b"], { canary: [], batch: undefined, apart: [] }, none, alone)).toEqual([["a", "b"]]);
    expect(wavesOf([], { canary: ["x"], batch: 1, apart: [] }, none, alone)).toEqual([]);
  });

  it("contain every target once, at most a batch, and never two that must be separate", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-f]$/), { minLength: 1, maxLength: 6 });
    const groups = fc.array(fc.uniqueArray(fc.stringMatching(/^[a-f]$/), { minLength: 2, maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(names, groups, fc.integer({ min: 1, max: 4 }), fc.subarray(["a", "b"]), (targets, together, batch, canary) => {
        const apart = apartOf(together, new Map());
        const waves = wavesOf(targets, { canary, batch, apart: together }, apart, alone);
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

  it("put no target before one that it follows, except in a circle", () => {
    const follows = fc.dictionary(fc.stringMatching(/^[a-f]$/), fc.subarray(["a", "b", "c", "d", "e", "f"]));
    const all = ["a", "b", "c", "d", "e", "f"];
    fc.assert(
      fc.property(follows, fc.integer({ min: 1, max: 4 }), fc.subarray(["c", "f"]), (followed, batch, canary) => {
        const others = (name: string): string[] => followed[name] ?? [];
        const reach = (from: string): Set<string> => {
          const found = new Set(others(from));
          for (const name of found) for (const next of others(name)) found.add(next);
          return found;
        };
        const waves = wavesOf(all, { canary, batch, apart: [] }, none, others);
        expect(waves.flat().sort()).toEqual(all);
        const waveOf = (name: string): number => waves.findIndex((wave) => wave.includes(name));
        for (const name of all) {
          for (const other of others(name)) if (!reach(other).has(name)) expect(waveOf(other)).toBeLessThanOrEqual(waveOf(name));
        }
      }),
    );
  });

  it("separate targets if one names the other as its peer", () => {
    const apart = apartOf(
      [],
      new Map([
        ["left", { own: "https://10.0.0.1", peers: ["https://10.0.0.2/"] }],
        ["right", { own: "https://10.0.0.2", peers: [] }],
        ["alone", { own: "https://10.0.0.3", peers: [] }],
      ]),
    );
    expect(wavesOf(["left", "right", "alone"], { canary: [], batch: undefined, apart: [] }, apart, alone)).toEqual([
      ["left", "alone"],
      ["right"],
    ]);
  });
});
