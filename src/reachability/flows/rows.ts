import { groupBy } from "../../core/group-by.js";
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

/** Maximum number of rows per cause and direction, and of conditions per row, before they are combined. */
const MOST_APART = 8;

/** Flows with different verdicts in two versions. Each such flow is in exactly one row. */
export interface Row {
  readonly before: Decided;
  readonly after: Decided;
  readonly cause: Cause;
  /**
   * Conjunctions of literals under which the flows differ. If all conjunctions have the same flows, they are simplified. Empty means that
   * the difference is certain.
   */
  readonly conditions: readonly (readonly StatedLiteral[])[];
  readonly extent: Extent;
}

export interface Decided {
  readonly verdict: Verdict;
  /** Rules that decide flows of the row. Level `end` means "no rule". */
  readonly rules: readonly Rule[];
}

/**
 * `boxes`: exactly these flows. `holes`: the flows in the regions `wholes`, as each describes. In a row without conditions some flows
 * certainly differ. With `hasOtherConditions`, flows may also differ under other conditions.
 */
type Extent =
  | { readonly kind: "boxes"; readonly boxes: readonly Box[]; readonly regions: () => readonly Region[] }
  | { readonly kind: "holes"; readonly wholes: readonly WidePart[]; readonly hasOtherConditions: boolean };

/** A region that would need too many boxes: the flows in it that one rule of `before` decided, and one of `after` decides. */
export interface WidePart {
  readonly within: Region;
  /** `within` as a box. */
  readonly box: Box;
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** Flows in other rows: flows of these regions that the rule decided before. */
  readonly elsewhere: readonly { readonly rule: Rule; readonly regions: readonly Region[] }[];
  /** The exact flows: the first of these regions that contains a flow of `within` decides whether it changes. No region: it does not. */
  readonly steps: () => readonly { readonly changes: boolean; readonly region: Region }[];
  /** Number of holes: rules that decide parts of the region without a change of the verdict. */
  readonly holes: number;
  /** Pairs of zones with changes, and the number of changed and of all pairs. */
  readonly changedPairs: Region["zones"];
  readonly pairs: { readonly changed: number; readonly all: number };
  /** Some changed flows. */
  readonly example: Region;
  /** Number of claims that ran out of effort. 0 means that all claims are proven. */
  readonly undecided: number;
}

/** Returns few rows, grouped by cause first: an edit of a group in many rules is one row. */
export function rowsOf(model: Model, before: CompiledPolicy, after: CompiledPolicy, found: VerdictChanges): readonly Row[] {
  const rules = { before: before.rules.map(({ rule }) => rule), after: after.rules.map(({ rule }) => rule) };
  const versions = {
    before: { rules: rules.before, disabled: before.policy.disabled },
    after: { rules: rules.after, disabled: after.policy.disabled },
  };
  const causes = new Causes(versions, found.pairs);
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

/** A change with its cause and its deciding rules. */
interface Traced {
  readonly change: VerdictChange;
  readonly cause: Cause;
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** Equal for changes with the same cause and direction. */
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
    extent: { kind: "boxes", boxes, regions: () => boxes.map((box) => regionOf(model, box)) },
  };
}

/** Splits wide changes by their conditions, unless there are too many. */
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
    change.kind === "wide" ? [{ change, whole: { ...widePartOf(model, change, before), before, after } }] : [],
  );
  // If some flows of a change are certain, the row is certain.
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

/** Groups changes of one cause and direction into rows: by pair of rules, or all together if there are too many pairs. */
function groupsOf({ space }: Model, changes: readonly TracedBox[]): readonly (readonly TracedBox[])[] {
  const names = ({ before, after }: TracedBox): string => JSON.stringify([before, after].map((rules) => rules.map(({ key }) => key)));
  const pairs = [...groupBy(changes, names).values()];
  if (pairs.length === 1 || pairs.length > MOST_APART || changes[0]?.cause.kind === "objects") return [changes];
  const conditional = (group: readonly TracedBox[]): number => united(space, group).filter((box) => !isCertain(box)).length;
  const apart = pairs.reduce((sum, pair) => sum + conditional(pair), 0);
  // If one rule decides under a condition and another without it, the change is unconditional.
  return conditional(changes) < apart ? [changes] : pairs;
}

const united = (space: Space, changes: readonly TracedBox[]): readonly Box[] =>
  unite(
    space,
    changes.map(({ box }) => box),
  );

/**
 * Splits boxes into certain ones and one group per condition. Conditions with the same flows form one group. Too many conditions form one
 * group as well.
 */
function byCondition({ space }: Model, changes: readonly TracedBox[]): readonly (readonly Box[])[] {
  const groups = groupBy(united(space, changes), (box) => box[PLACE.condition]);
  const conditional = [...groups].filter(([condition]) => condition !== Conjunctions.TRUE).map(([, boxes]) => boxes);
  const alike = [...groupBy(conditional, flowsOf).values()].map((same) => same.flat());
  const apart = alike.length > MOST_APART ? [alike.flat()] : alike;
  return [groups.get(Conjunctions.TRUE) ?? [], ...apart].filter((group) => group.length > 0);
}

/** Returns equal keys for boxes that differ only in their conditions. */
const flowsOf = (boxes: readonly Box[]): string =>
  boxes
    .map((box) => box.with(PLACE.condition, Conjunctions.TRUE).join())
    .sort()
    .join(";");

/** Returns no conditions if one of the boxes is certain. */
function conditionsOf(model: Model, boxes: readonly Box[]): Row["conditions"] {
  if (boxes.some(isCertain)) return [];
  const ways = groupBy(boxes, (box) => box[PLACE.condition] as number);
  const isOneSet = new Set([...ways.values()].map(flowsOf)).size === 1;
  const conditions = isOneSet ? inFewLiterals(model.space.conditions, [...ways.keys()]) : [...ways.keys()];
  return conditions.map((conjunction) => statedLiterals(model, conjunction));
}

/** Simplifies "not a, or a and b" to "not a, or b". */
function inFewLiterals(conditions: Conjunctions, ways: readonly number[]): readonly number[] {
  const literals = ways.map((way) => conditions.literals(way));
  const alone = new Set(literals.filter((way) => way.length === 1).flat());
  const fewer = literals.map((way) => (way.length === 1 ? way : way.filter((literal) => !alone.has(opposite(literal)))));
  return [...new Set(fewer.map((way) => conditions.of(way)))];
}

function widePartOf(model: Model, change: WideChange, before: readonly Rule[]): Omit<WidePart, "before" | "after"> {
  const changed = model.space.everything.with(PLACE.zones, change.pairs);
  const [places] = decidersOf(change);
  return {
    within: regionOf(model, change.within),
    box: change.within,
    elsewhere: change.elsewhere.map(({ at, boxes }) => ({
      rule: before[places.indexOf(at)] as Rule,
      regions: boxes.map((box) => regionOf(model, box)),
    })),
    steps: () => stepsOf(model, change.steps),
    holes: change.holes,
    changedPairs: regionOf(model, changed).zones,
    pairs: { changed: model.space.axis("zones").count(change.pairs), all: change.ofPairs },
    example: regionOf(model, change.example),
    undecided: change.undecided,
  };
}

/** Merges boxes of consecutive steps with the same result. */
function stepsOf(model: Model, steps: WideChange["steps"]): ReturnType<WidePart["steps"]> {
  const runs: { readonly changes: boolean; readonly boxes: Box[] }[] = [];
  for (const { changes, box } of steps) {
    const last = runs.at(-1);
    if (last?.changes === changes) last.boxes.push(box);
    else runs.push({ changes, boxes: [box] });
  }
  return runs.flatMap(({ changes, boxes }) => unite(model.space, boxes).map((box) => ({ changes, region: regionOf(model, box) })));
}
