import { describe, expect, it } from "vitest";
import { RankSets } from "../../../src/reachability/flows/rank-sets.js";
import { Dice } from "./worlds.js";

const SIZE = 12;
const bitsOf = (sets: RankSets, id: number): number =>
  Array.from({ length: SIZE }, (_, rank) => rank).reduce((bits, rank) => bits | (sets.has(id, rank) ? 1 << rank : 0), 0);
const idOf = (sets: RankSets, bits: number): number =>
  sets.of(Array.from({ length: SIZE }, (_, rank) => rank).flatMap((rank) => ((bits >> rank) & 1 ? [[rank, rank + 1] as const] : [])));

describe("sets of ranks", () => {
  const dice = new Dice(1);
  const pairs = Array.from({ length: 3000 }, () => [dice.roll(2 ** SIZE), dice.roll(2 ** SIZE)] as const);

  it("behave like bit sets for every operation", () => {
    const sets = new RankSets(SIZE);
    const all = 2 ** SIZE - 1;
    for (const [one, other] of [...pairs, [0, all], [all, 0], [all, all], [0, 0], [5, all], [all, 5]] as const) {
      const [a, b] = [idOf(sets, one), idOf(sets, other)];
      expect([bitsOf(sets, sets.and(a, b)), bitsOf(sets, sets.or(a, b)), bitsOf(sets, sets.minus(a, b))]).toEqual([
        one & other,
        one | other,
        one & ~other,
      ]);
      const [more] = pairs[one % pairs.length] as readonly [number, number];
      expect(bitsOf(sets, sets.union([a, idOf(sets, more), b]))).toBe(one | more | other);
      expect([sets.meets(a, b), sets.within(a, b)]).toEqual([(one & other) !== 0, (one & ~other) === 0]);
      const ranks = Array.from({ length: sets.count(a) }, (_, n) => sets.nth(a, n));
      expect(ranks.reduce((bits, rank) => bits | (1 << rank), 0)).toBe(one);
    }
  });

  it("are equal if their ids are", () => {
    const sets = new RankSets(SIZE);
    const ids = new Map<number, number>();
    for (const [one, other] of pairs) {
      const id = sets.or(idOf(sets, one), idOf(sets, other));
      expect(ids.get(one | other) ?? id).toBe(id);
      ids.set(one | other, id);
    }
    expect(sets.of([[0, SIZE]])).toBe(RankSets.ALL);
    expect(sets.of([[3, 3]])).toBe(RankSets.NONE);
    expect(
      sets.of([
        [5, 9],
        [0, 3],
        [2, 5],
      ]),
    ).toBe(sets.of([[0, 9]]));
  });

  it("contain no rank beyond their size", () => {
    expect(() => new RankSets(4).nth(RankSets.ALL, 4)).toThrow(RangeError);
  });
});
