import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Move, minimalMoves } from "../../src/plan/moves.js";

/** Executes each move like a platform, in order. */
function applyMoves(from: readonly string[], moves: readonly Move[]): string[] {
  const order = [...from];
  for (const { name, after } of moves) {
    order.splice(order.indexOf(name), 1);
    order.splice(after === undefined ? 0 : order.indexOf(after) + 1, 0, name);
  }
  return order;
}

/** Length of a longest increasing subsequence by the plain quadratic recurrence. */
function slowLongest(values: readonly number[]): number {
  const best: number[] = [];
  for (const [i, value] of values.entries()) best.push(1 + Math.max(0, ...best.filter((_, j) => (values[j] ?? 0) < value && j < i)));
  return Math.max(0, ...best);
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `r${i}`);

describe("minimalMoves", () => {
  it("moves nothing if the order is correct", () => {
    expect(minimalMoves(["a", "b"], ["a", "b"], new Set())).toEqual([]);
  });

  it("reverses 1,000 rules in 999 moves", () => {
    const from = names(1000);
    const to = [...from].reverse();
    const moves = minimalMoves(from, to, new Set());
    expect(moves).toHaveLength(999);
    expect(applyMoves(from, moves)).toEqual(to);
  });

  it("inserts one in the middle while reversing", () => {
    const from = [...names(4), "new"];
    const to = ["r3", "r2", "new", "r1", "r0"];
    const moves = minimalMoves(from, to, new Set());
    expect(moves).toHaveLength(3);
    expect(applyMoves(from, moves)).toEqual(to);
  });

  it("moves the first entry to the top and the others after entries that are in place", () => {
    expect(minimalMoves(["a", "b", "c"], ["c", "a", "b"], new Set())).toEqual([{ name: "c", after: undefined }]);
    expect(minimalMoves(["a", "b", "c"], ["b", "c", "a"], new Set())).toEqual([{ name: "a", after: "c" }]);
  });

  it("needs exactly length minus longest increasing subsequence and reaches the desired order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }).chain((n) => fc.shuffledSubarray(names(n), { minLength: n })),
        (to) => {
          const from = [...to].sort();
          const rank = new Map(to.map((name, i) => [name, i]));
          const moves = minimalMoves(from, to, new Set());
          expect(applyMoves(from, moves)).toEqual(to);
          expect(moves).toHaveLength(from.length - slowLongest(from.map((name) => rank.get(name) ?? 0)));
        },
      ),
    );
  });

  it("never moves a pinned entry", () => {
    const cases = fc.record({
      ours: fc.shuffledSubarray(names(7)),
      pinned: fc.constant<readonly string[]>(["f0", "f1", "f2"]),
      cuts: fc.array(fc.nat(9), { minLength: 6, maxLength: 6 }),
    });
    fc.assert(
      fc.property(cases, ({ ours, pinned, cuts }) => {
        const mix = (names: readonly string[], at: readonly number[]): string[] => {
          const order = [...names];
          let from = 0;
          for (const [i, name] of pinned.entries()) {
            from = Math.min(order.length, from + (at[i] ?? 0));
            order.splice(from, 0, name);
            from += 1;
          }
          return order;
        };
        const from = mix([...ours].sort(), cuts.slice(0, 3));
        const to = mix(ours, cuts.slice(3));
        const moves = minimalMoves(from, to, new Set(pinned));
        expect(moves.filter((move) => pinned.includes(move.name))).toEqual([]);
        expect(applyMoves(from, moves)).toEqual(to);
      }),
    );
  });
});
