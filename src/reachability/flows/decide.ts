import type { Budget } from "./budget.js";
import type { Piece } from "./rule-index.js";
import type { Box, Space } from "./space.js";

/** Flows that one rule decides. */
export interface Part {
  readonly box: Box;
  /** Position of the rule. */
  readonly at: number;
}

/**
 * Splits boxes by the first of `pieces` that contains each flow, and returns the parts of `wanted` rules. Returns undefined if this needs
 * more than `effort.mostParts` boxes, or if the effort ran out.
 */
export function decidedBy(
  space: Space,
  boxes: readonly Box[],
  pieces: readonly Piece[],
  wanted: (at: number) => boolean,
  effort: Budget,
): readonly Part[] | undefined {
  const parts: Part[] = [];
  let left = boxes;
  for (const { at, box } of pieces) {
    if (left.length === 0) break;
    if (!effort.spend(left.length) || left.length + parts.length > effort.mostParts) return undefined;
    const rest: Box[] = [];
    for (const each of left) {
      const both = space.and(each, box);
      if (both === undefined) rest.push(each);
      else {
        if (wanted(at)) parts.push({ box: both, at });
        rest.push(...space.minus(each, box));
      }
    }
    left = rest;
  }
  return parts.length > effort.mostParts ? undefined : parts;
}

/** Returns `boxes` minus `pieces`. Returns undefined if this needs more than `effort.mostParts` boxes, or if the effort ran out. */
export function without(space: Space, boxes: readonly Box[], pieces: readonly Box[], effort: Budget): readonly Box[] | undefined {
  let left = boxes;
  for (const box of pieces) {
    if (left.length === 0) break;
    if (!effort.spend(left.length) || left.length > effort.mostParts) return undefined;
    left = left.flatMap((each) => space.minus(each, box));
  }
  return left.length > effort.mostParts ? undefined : left;
}
