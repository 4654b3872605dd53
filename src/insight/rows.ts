import { groupBy } from "../core/group-by.js";
import { type Cause, Causes, causeKey } from "./cause.js";
import { isCertain } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { Conjunctions, opposite } from "./conjunctions.js";
import type { Rule, Verdict } from "./policy.js";
import { type Region, regionOf, type StatedLiteral, statedLiterals } from "./region.js";
import { type Box, PLACE, type Space } from "./space.js";
import { unite } from "./unite.js";
import type { VerdictChange, VerdictChanges } from "./verdict-changes.js";
import type { WideChange } from "./wide-change.js";

/** Rows that one cause makes in one direction, or conditions of one row, before they are told together. */
const MOST_APART = 8;

/** Flows whose verdict differs between two versions. No flow is in two rows, and every flow that differs is in one. */
export interface Row {
  readonly before: Decided;
  readonly after: Decided;
  readonly cause: Cause;
  /**
   * Conjunctions under which flows of this row differ, each as its literals; where all of them lead to the same flows, in as few literals
   * as say so. Empty: certain, whatever is not known.
   */
  readonly conditions: readonly (readonly StatedLiteral[])[];
  readonly extent: Extent;
}

export interface Decided {
  readonly verdict: Verdict;
  /** The rules that decide flows of the row. One of level `end` stands for "no rule". */
  readonly rules: readonly Rule[];
}

/**
 * `boxes`: exactly these flows. `holes`: those in one of the wholes, as each says; a row without conditions has some that differ whatever is
 * not known, and with `hasOtherConditions` some may differ under others than the row's.
 */
type Extent =
  | { readonly kind: "boxes"; readonly count: number; readonly regions: () => readonly Region[] }
  | { readonly kind: "holes"; readonly wholes: readonly Whole[]; readonly hasOtherConditions: boolean };

/**
 * A region that is too finely cut to be told box by box: the flows in it that one rule of `before` decided, and one of `after`
 * decides.
 */
export interface Whole {
  readonly within: Region;
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
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
  const traced = found.changes.map((change): Traced => {
    const cause = causes.of(change.side, change.kind === "wide" ? change.rule : change[change.side]);
    const [from, to] = decidersOf(change);
    const decided = { before: chosen(rules.before, from), after: chosen(rules.after, to) };
    const direction = [decided.before[0]?.verdict, decided.after[0]?.verdict];
    return { change, cause, ...decided, key: JSON.stringify([change.kind, causeKey(cause), direction]) };
  });
  return [...groupBy(traced, ({ key }) => key).values()].flatMap((group) => {
    const narrow = group.flatMap(({ change, ...each }) => (change.kind === "narrow" ? [{ ...each, box: change.box }] : []));
    if (narrow.length === 0) return byWays(group).map((each) => wideRow(model, each));
    return groupsOf(model, narrow).flatMap((changes) => byCondition(model, changes).map((boxes) => narrowRow(model, changes, boxes)));
  });
}

/** A change with its cause, and with the rules that decide it. */
interface Traced {
  readonly change: VerdictChange;
  readonly cause: Cause;
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** Equal for changes of one cause in one direction. */
  readonly key: string;
}

type TracedBox = Omit<Traced, "change"> & { readonly box: Box };

function decidersOf(change: VerdictChange): readonly [before: readonly number[], after: readonly number[]] {
  if (change.kind === "narrow") return [[change.before], [change.after]];
  return change.side === "before" ? [[change.rule], change.counterparts] : [change.counterparts, [change.rule]];
}

const chosen = (rules: readonly Rule[], places: readonly number[]): readonly Rule[] => places.map((at) => rules[at] as Rule);

function decided(changes: readonly Pick<Traced, "before" | "after">[], side: "before" | "after"): Decided {
  const rules = [...new Set(changes.flatMap((change) => change[side]))];
  return { verdict: rules[0]?.verdict ?? "", rules };
}

function narrowRow(model: Model, changes: readonly TracedBox[], boxes: readonly Box[]): Row {
  const few = changes.length * boxes.length < 1_000_000;
  const meeting = few ? changes.filter(({ box }) => boxes.some((each) => model.space.meets(each, box))) : changes;
  const [{ cause }] = changes as [TracedBox];
  return {
    before: decided(meeting, "before"),
    after: decided(meeting, "after"),
    cause,
    conditions: conditionsOf(model, boxes),
    extent: { kind: "boxes", count: boxes.length, regions: () => boxes.map((box) => regionOf(model, box)) },
  };
}

/** Splits wide changes by their conditions, unless these are many. */
function byWays(group: readonly Traced[]): readonly (readonly Traced[])[] {
  const apart = [...groupBy(group, ({ change }) => waysKey(change)).values()];
  return apart.length > MOST_APART ? [group] : apart;
}

function waysKey(change: VerdictChange): string {
  if (change.kind === "narrow" || isCertain(change.example)) return "";
  return JSON.stringify([[...change.ways].sort((a, b) => a - b), change.hasOtherWays]);
}

function wideRow(model: Model, group: readonly Traced[]): Row {
  const wholes = group.flatMap(({ change, before, after }) =>
    change.kind === "wide" ? [{ change, whole: { ...wholeOf(model, change, before), before, after } }] : [],
  );
  // One of whose flows some are certain says so of the row.
  const certain = wholes.some(({ change }) => isCertain(change.example));
  const ways = certain ? [] : [...new Set(wholes.flatMap(({ change }) => change.ways))];
  const [{ cause }] = group as [Traced];
  return {
    before: decided(group, "before"),
    after: decided(group, "after"),
    cause,
    conditions: ways.map((conjunction) => statedLiterals(model, conjunction)),
    extent: {
      kind: "holes",
      wholes: wholes.map(({ whole }) => whole),
      hasOtherConditions: !certain && wholes.some(({ change }) => change.hasOtherWays),
    },
  };
}

/** Changes of one cause and direction that make rows together: those of one pair of rules, or all of them where there are many. */
function groupsOf({ space }: Model, changes: readonly TracedBox[]): readonly (readonly TracedBox[])[] {
  const names = ({ before, after }: TracedBox): string => JSON.stringify([before, after].map((rules) => rules.map(({ key }) => key)));
  const pairs = [...groupBy(changes, names).values()];
  if (pairs.length === 1 || pairs.length > MOST_APART || changes[0]?.cause.kind === "objects") return [changes];
  const conditional = (group: readonly TracedBox[]): number => united(space, group).filter((box) => !isCertain(box)).length;
  const apart = pairs.reduce((sum, pair) => sum + conditional(pair), 0);
  // What one rule does under a condition and another without it happens in any case.
  return conditional(changes) < apart ? [changes] : pairs;
}

const united = (space: Space, changes: readonly TracedBox[]): readonly Box[] =>
  unite(
    space,
    changes.map(({ box }) => box),
  );

/** Splits boxes into certain ones and those of each condition. Conditions with the same flows are one group; so are many conditions. */
function byCondition({ space }: Model, changes: readonly TracedBox[]): readonly (readonly Box[])[] {
  const groups = groupBy(united(space, changes), (box) => box[PLACE.condition]);
  const conditional = [...groups].filter(([condition]) => condition !== Conjunctions.TRUE).map(([, boxes]) => boxes);
  const alike = [...groupBy(conditional, flowsOf).values()].map((same) => same.flat());
  const apart = alike.length > MOST_APART ? [alike.flat()] : alike;
  return [groups.get(Conjunctions.TRUE) ?? [], ...apart].filter((group) => group.length > 0);
}

/** Equal for boxes that hold the same but for their conditions. */
const flowsOf = (boxes: readonly Box[]): string =>
  boxes
    .map((box) => box.with(PLACE.condition, Conjunctions.TRUE).join())
    .sort()
    .join(";");

/** None where one of the boxes is certain. */
function conditionsOf(model: Model, boxes: readonly Box[]): Row["conditions"] {
  if (boxes.some(isCertain)) return [];
  const ways = groupBy(boxes, (box) => box[PLACE.condition] as number);
  const isOneSet = new Set([...ways.values()].map(flowsOf)).size === 1;
  const told = isOneSet ? inFewLiterals(model.space.conditions, [...ways.keys()]) : [...ways.keys()];
  return told.map((conjunction) => statedLiterals(model, conjunction));
}

/** "Not a, or a and b" is "not a, or b". */
function inFewLiterals(conditions: Conjunctions, ways: readonly number[]): readonly number[] {
  const literals = ways.map((way) => conditions.literals(way));
  const alone = new Set(literals.filter((way) => way.length === 1).flat());
  const fewer = literals.map((way) => (way.length === 1 ? way : way.filter((literal) => !alone.has(opposite(literal)))));
  return [...new Set(fewer.map((way) => conditions.of(way)))];
}

function wholeOf(model: Model, change: WideChange, before: readonly Rule[]): Omit<Whole, "before" | "after"> {
  const changed = model.space.everything.with(PLACE.zones, change.pairs);
  const [places] = decidersOf(change);
  return {
    within: regionOf(model, change.within),
    elsewhere: change.elsewhere.map(({ at, boxes }) => ({
      rule: before[places.indexOf(at)] as Rule,
      regions: boxes.map((box) => regionOf(model, box)),
    })),
    holes: change.holes,
    changedPairs: regionOf(model, changed).zones,
    pairs: { changed: model.space.axis("zones").count(change.pairs), all: change.ofPairs },
    example: regionOf(model, change.example),
    undecided: change.undecided,
  };
}
