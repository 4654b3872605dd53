import type { CompiledPolicy } from "./compile.js";
import type { Pair } from "./pairing.js";
import { type Box, PLACE, type Space } from "./space.js";

/** For each changed rule, by place: the flows that it matches and may decide differently than before. The boxes of a rule are disjoint. */
export interface ChangedPieces {
  readonly before: ReadonlyMap<number, readonly Box[]>;
  readonly after: ReadonlyMap<number, readonly Box[]>;
}

/**
 * A pair of rules in order with equal verdicts is unchanged for flows that both versions match. Suppose that two such pairs decide the same
 * flow, one before and the other after. Then their order would differ between the versions, which is a contradiction. So if verdicts
 * differ, a changed piece decides before or after the change, or both.
 */
export function changedPieces(space: Space, before: CompiledPolicy, after: CompiledPolicy, pairs: readonly Pair[]): ChangedPieces {
  const unchanged = pairs.filter(
    (pair) => pair.inOrder && before.rules[pair.before]?.rule.verdict === after.rules[pair.after]?.rule.verdict,
  );
  const partners = {
    before: new Map(unchanged.map((pair) => [pair.before, after.rules[pair.after]?.boxes ?? []])),
    after: new Map(unchanged.map((pair) => [pair.after, before.rules[pair.before]?.boxes ?? []])),
  };
  return { before: piecesOf(space, before, partners.before), after: piecesOf(space, after, partners.after) };
}

function piecesOf(
  space: Space,
  { rules }: CompiledPolicy,
  partners: ReadonlyMap<number, readonly Box[]>,
): ReadonlyMap<number, readonly Box[]> {
  const pieces = new Map<number, readonly Box[]>();
  for (const [at, { boxes }] of rules.entries()) {
    const partner = partners.get(at) ?? [];
    if (equal(boxes, partner)) continue;
    const left = space.minusAll(space.disjoint(boxes), partner);
    if (left.length > 0) pieces.set(at, left);
  }
  return pieces;
}

function equal(a: readonly Box[], b: readonly Box[]): boolean {
  return a.length === b.length && a.every((box, at) => box.every((set, place) => set === b[at]?.[place]));
}

/** Returns whether a box has no condition. */
export const isCertain = (box: Box): boolean => box[PLACE.condition] === 0;
