import { partitionPoint } from "../../core/partition-point.js";
import type { CompiledRule } from "./compile.js";
import { type Rule, ruleId } from "./policy.js";

/** One rule in two versions, by its places. */
export interface Pair {
  readonly before: number;
  readonly after: number;
  /** Whether the pair belongs to the largest set of pairs with the same order in both versions. Other rules moved. */
  readonly inOrder: boolean;
}

/** Pairs rules of equal level and group by uuid, and the remaining rules by name. Each rule is in at most one pair. */
export function pairRules(before: readonly Pick<CompiledRule, "rule">[], after: readonly Pick<CompiledRule, "rule">[]): readonly Pair[] {
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const name of [byUuid, byName]) {
    const open = new Map<string, number>();
    for (const [at, { rule }] of after.entries()) {
      const key = name(rule);
      if (key !== undefined && !taken.has(at) && !open.has(key)) open.set(key, at);
    }
    for (const [at, { rule }] of before.entries()) {
      const key = partners.has(at) ? undefined : name(rule);
      const partner = key === undefined ? undefined : open.get(key);
      if (key === undefined || partner === undefined) continue;
      partners.set(at, partner);
      taken.add(partner);
      open.delete(key);
    }
  }
  const pairs = [...partners].sort(([a], [b]) => a - b);
  const kept = longestRising(pairs.map(([, place]) => place));
  return pairs.map(([one, other], at) => ({ before: one, after: other, inOrder: kept.has(at) }));
}

const byUuid = ({ key: { level, group, uuid } }: Rule): string | undefined =>
  uuid === undefined ? undefined : JSON.stringify([level, group, uuid]);
const byName = ({ key }: Rule): string => ruleId(key);

/** Returns the places of a longest increasing subsequence. The numbers are distinct. */
function longestRising(values: readonly number[]): ReadonlySet<number> {
  /** For each length, the place of the smallest last value of an increasing subsequence. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [place, value] of values.entries()) {
    const length = partitionPoint(ends.length, (at) => (values[ends[at] as number] as number) < value);
    previous[place] = ends[length - 1];
    ends[length] = place;
  }
  const kept = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = previous[place]) kept.add(place);
  return kept;
}
