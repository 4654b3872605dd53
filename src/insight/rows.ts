import { type Cause, Causes, causeKey } from "./cause.js";
import { isCertain } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { groupBy } from "./group-by.js";
import type { Rule, Verdict } from "./policy.js";
import { type Region, regionOf, type StatedLiteral, statedLiterals } from "./region.js";
import { type Box, PLACE } from "./space.js";
import { unite } from "./unite.js";
import type { NarrowChange, VerdictChange, VerdictChanges } from "./verdict-changes.js";
import type { WideChange } from "./wide-change.js";

/** Rows that one cause makes in one direction, or conditions of one row, before they are told together. */
const MOST_APART = 8;

/** Flows whose verdict differs between two versions. No flow is in two rows, and every flow that differs is in one. */
export interface Row {
  readonly before: Decided;
  readonly after: Decided;
  readonly cause: Cause;
  /** Conjunctions under which flows of this row differ, each as its literals. Empty: certain, whatever is not known. */
  readonly conditions: readonly (readonly StatedLiteral[])[];
  readonly extent: Extent;
}

export interface Decided {
  readonly verdict: Verdict;
  /** The rules that decide flows of the row, from the top. The last one may stand for "no rule". */
  readonly rules: readonly Rule[];
}

/** `boxes`: exactly these flows. `holes`: those in one of the wholes, as each says. */
export type Extent =
  | { readonly kind: "boxes"; readonly count: number; readonly regions: () => readonly Region[] }
  | { readonly kind: "holes"; readonly wholes: readonly Whole[] };

/**
 * A region that is too finely cut to be told box by box: the flows in it that one of the row's rules decided before, and
 * one decides after.
 */
export interface Whole {
  readonly within: Region;
  /** Flows that are in other rows: those of these regions which the rule decided before. */
  readonly elsewhere: readonly { readonly rule: Rule; readonly regions: readonly Region[] }[];
  /** How many rules decide parts of it with the verdict that it has after all: the holes. */
  readonly holes: number;
  /** Pairs of zones in which something changed, of how many. */
  readonly changedPairs: Region["zones"];
  readonly pairs: { readonly changed: number; readonly all: number };
  /** Some flows that changed. */
  readonly example: Region;
  /** Claims in it that ran out of effort; 0: all of them are proven. */
  readonly undecided: number;
}

/** Few rows, by cause first: an edit in a group that many rules use is one row. */
export function rowsOf(model: Model, before: CompiledPolicy, after: CompiledPolicy, found: VerdictChanges): readonly Row[] {
  const rules = { before: before.rules.map(({ rule }) => rule), after: after.rules.map(({ rule }) => rule) };
  const causes = new Causes(rules.before, rules.after, found.pairs);
  const verdict = (side: "before" | "after", at: number): string => rules[side][at]?.verdict ?? "";
  const edges = (change: VerdictChange): readonly [before: readonly number[], after: readonly number[]] => {
    if (change.kind === "narrow") return [[change.before], [change.after]];
    return change.side === "before" ? [[change.rule], change.counterparts] : [change.counterparts, [change.rule]];
  };
  const withCause = found.changes.map((change) => {
    const [from, to] = edges(change);
    const cause = causes.of(change.side, (change.side === "before" ? from : to)[0] ?? 0);
    return {
      change,
      cause,
      from,
      to,
      key: JSON.stringify([
        change.kind,
        causeKey(cause),
        from.map((at) => verdict("before", at))[0],
        to.map((at) => verdict("after", at))[0],
      ]),
    };
  });
  return [...groupBy(withCause, ({ key }) => key).values()].flatMap((group) => {
    const [{ cause }] = group as [(typeof group)[number]];
    const decided = (side: "before" | "after", places: readonly number[]): Decided => {
      const chosen = [...new Set(places)].sort((a, b) => a - b).map((at) => rules[side][at] as Rule);
      return { verdict: chosen[0]?.verdict ?? "", rules: chosen };
    };
    const narrow = group.flatMap(({ change }) => (change.kind === "narrow" ? [change] : []));
    const row = (changes: readonly NarrowChange[], boxes: readonly Box[]): Row => ({
      before: decided(
        "before",
        changes.map((change) => change.before),
      ),
      after: decided(
        "after",
        changes.map((change) => change.after),
      ),
      cause,
      conditions: boxes.every(isCertain) ? [] : conditionsOf(model, boxes),
      extent: { kind: "boxes", count: boxes.length, regions: () => boxes.map((box) => regionOf(model, box)) },
    });
    const wide = group.flatMap(({ change }) => (change.kind === "wide" ? [change] : []));
    if (wide.length === 0)
      return groupsOf(model, cause, narrow).flatMap((changes) => byCondition(model, changes).map((boxes) => row(changes, boxes)));
    return [
      {
        before: decided(
          "before",
          group.flatMap(({ from }) => from),
        ),
        after: decided(
          "after",
          group.flatMap(({ to }) => to),
        ),
        cause,
        conditions: wide.some(({ example }) => isCertain(example))
          ? []
          : conditionsOf(
              model,
              wide.map(({ example }) => example),
            ),
        extent: { kind: "holes" as const, wholes: wide.map((change) => wholeOf(model, rules.before, change)) },
      },
    ];
  });
}

/** Changes of one cause and direction that make rows together: those of one pair of rules, or all of them where there are many. */
function groupsOf(model: Model, cause: Cause, changes: readonly NarrowChange[]): readonly (readonly NarrowChange[])[] {
  const pairs = [...groupBy(changes, (change) => `${change.before} ${change.after}`).values()];
  if (pairs.length === 1 || pairs.length > MOST_APART || cause.kind === "objects") return [changes];
  const conditional = (boxes: readonly Box[]): number => boxes.filter((box) => !isCertain(box)).length;
  const apart = pairs.reduce(
    (sum, pair) =>
      sum +
      conditional(
        unite(
          model.space,
          pair.map(({ box }) => box),
        ),
      ),
    0,
  );
  // What one rule does under a condition and another without it happens in any case.
  const together = conditional(
    unite(
      model.space,
      changes.map(({ box }) => box),
    ),
  );
  return together < apart ? [changes] : pairs;
}

/** What is certain, and what each condition leads to; many conditions together. */
function byCondition({ space }: Model, changes: readonly NarrowChange[]): readonly (readonly Box[])[] {
  const boxes = unite(
    space,
    changes.map(({ box }) => box),
  );
  const conditional = [
    ...groupBy(
      boxes.filter((box) => !isCertain(box)),
      (box) => box[PLACE.condition],
    ).values(),
  ];
  const apart = conditional.length > MOST_APART ? [conditional.flat()] : conditional;
  return [boxes.filter(isCertain), ...apart].filter((group) => group.length > 0);
}

function conditionsOf(model: Model, boxes: readonly Box[]): Row["conditions"] {
  return [...groupBy(boxes, (box) => box[PLACE.condition]).values()].map(([box]) => statedLiterals(model, box as Box));
}

function wholeOf(model: Model, before: readonly Rule[], change: WideChange): Whole {
  const changed = model.space.everything.with(PLACE.zones, change.pairs);
  return {
    within: regionOf(model, change.within),
    elsewhere: change.elsewhere.map(({ at, boxes }) => ({ rule: before[at] as Rule, regions: boxes.map((box) => regionOf(model, box)) })),
    holes: change.holes,
    changedPairs: regionOf(model, changed).zones,
    pairs: { changed: model.space.axis("zones").count(change.pairs), all: change.ofPairs },
    example: regionOf(model, change.example),
    undecided: change.undecided,
  };
}
