import { type Bounds, Budget } from "./budget.js";
import { changedPieces } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { type IdleRule, idleAt, partsIn } from "./lint.js";
import { type Pair, pairRules } from "./pairing.js";
import { DEFAULT_LEVEL } from "./policy.js";

/** Steps for one rule. */
const RULE = 200_000;

/** A rule that has had no effect since a change. */
export type NewlyIdle = IdleRule & {
  /** Whether the change added the rule. */
  readonly isNew: boolean;
};

/**
 * Returns rules without effect after a change that are new or had an effect before, from the top. Checks only changed rules, and rules
 * below a changed piece that overlaps them. Includes rules whose check ran out of effort as `undecided`.
 */
export function newlyIdle(model: Model, before: CompiledPolicy, after: CompiledPolicy, bounds: Bounds = {}): readonly NewlyIdle[] {
  const effort = new Budget(bounds);
  const pairs = pairRules(before.rules, after.rules);
  const partners = new Map(pairs.map((pair) => [pair.after, pair.before]));
  const parts = partsIn(after);
  const reported = new Set<string>();
  return concerned(model, before, after, pairs).flatMap((at) => {
    const idle = idleAt(model, after, at, effort.share(RULE));
    if (idle === undefined) return [];
    const former = partners.get(at);
    const was = former === undefined ? undefined : idleAt(model, before, former, effort.share(RULE));
    // If both results are undecided, the change is not a proven cause.
    if (was !== undefined && (was.kind !== "undecided" || idle.kind === "undecided")) return [];
    const [part, ...others] = idle.rule.parts ?? [];
    const found = { ...idle, isNew: former === undefined };
    if (part === undefined) return [found];
    // A rule of the target with several compiled rules is reported once, and only if no compiled rule has an effect.
    const isEveryPartIdle = (parts.get(part) ?? []).every(
      (place) => place === at || idleAt(model, after, place, effort.share(RULE)) !== undefined,
    );
    if (others.length > 0 || reported.has(part) || !isEveryPartIdle) return [];
    reported.add(part);
    return [found];
  });
}

/** Returns positions after the change, from the top. Skips default rules, because users cannot delete them. */
function concerned({ space }: Model, before: CompiledPolicy, after: CompiledPolicy, pairs: readonly Pair[]): readonly number[] {
  const places = new Set<number>();
  for (const [at, boxes] of changedPieces(space, before, after, pairs).after) {
    places.add(at);
    for (const box of boxes) for (const piece of after.index.meeting(box)) if (piece.at > at) places.add(piece.at);
  }
  for (const pair of pairs) {
    const [old, now] = [before.rules[pair.before]?.boxes ?? [], after.rules[pair.after]?.boxes ?? []];
    if (now.length === 0 && old.length > 0) places.add(pair.after);
  }
  const known = new Set(pairs.map((pair) => pair.after));
  for (const [at, { boxes }] of after.rules.entries()) if (boxes.length === 0 && !known.has(at)) places.add(at);
  const last = after.rules.length - 1;
  const isOwn = (at: number): boolean => at !== last && after.rules[at]?.rule.key.level !== DEFAULT_LEVEL;
  return [...places].filter(isOwn).sort((a, b) => a - b);
}
