import { groupBy } from "../../core/group-by.js";
import { type Bounds, Budget } from "./budget.js";
import { type CompiledPolicy, END_LEVEL, type Model } from "./compile.js";
import { DEFAULT_LEVEL, type Rule } from "./policy.js";
import type { Piece } from "./rule-index.js";
import type { Box } from "./space.js";
import { type Cover, uncovered } from "./uncovered.js";

/** Steps for one rule. */
const RULE = 2_000_000;

/** A finding about a rule without effect, or with only a redundant one. */
export type LintFinding =
  /** No flow can match it: an empty group, no zones. */
  | { readonly kind: "matches-nothing"; readonly rule: Rule }
  /** Rules above decide everything that it matches. `by` is minimal. */
  | { readonly kind: "shadowed"; readonly rule: Rule; readonly by: readonly Rule[] }
  /** It decides flows, but without it they would get the same verdict and treatment. */
  | { readonly kind: "redundant"; readonly rule: Rule }
  /** The effort ran out before the question was answered. */
  | { readonly kind: "undecided"; readonly rule: Rule; readonly question: "shadowed" | "redundant" };

/**
 * Returns findings about the rules of a policy, from the top. Skips default rules, because users cannot delete them.
 *
 * @param only Checks only these rules. Undefined: all.
 */
export function lint(model: Model, policy: CompiledPolicy, bounds: Bounds = {}, only?: ReadonlySet<Rule>): readonly LintFinding[] {
  const effort = new Budget(bounds);
  const isChecked = (rule: Rule): boolean =>
    rule.key.level !== DEFAULT_LEVEL && rule.key.level !== END_LEVEL && (only === undefined || only.has(rule));
  return ofWholes(
    policy,
    policy.rules.flatMap(({ rule }, at) => (isChecked(rule) ? (findingAbout(model, policy, at, effort.share(RULE)) ?? []) : [])),
  );
}

/** Returns the positions of the compiled rules for each rule of the target. */
export function partsIn({ rules }: CompiledPolicy): ReadonlyMap<string, readonly number[]> {
  const places = rules.flatMap(({ rule }, at) => (rule.parts ?? []).map((part) => [part, at] as const));
  return new Map([...groupBy(places, ([part]) => part)].map(([part, all]) => [part, all.map(([, at]) => at)]));
}

/**
 * Combines the findings for a rule of the target that was compiled to several rules. There is a finding only if each of them has one. A
 * compiled rule that represents two rules of the target gives no finding about either.
 */
function ofWholes(policy: CompiledPolicy, findings: readonly LintFinding[]): readonly LintFinding[] {
  const found = new Map(findings.map((finding) => [finding.rule, finding]));
  const parts = partsIn(policy);
  const reported = new Set<string>();
  return findings.flatMap((finding) => {
    const [part, ...others] = finding.rule.parts ?? [];
    if (part === undefined) return [finding];
    if (others.length > 0 || reported.has(part)) return [];
    reported.add(part);
    const all = (parts.get(part) ?? []).map((at) => policy.rules[at]?.rule as Rule);
    const each = all.flatMap((rule) => found.get(rule) ?? []);
    return each.length === all.length ? (united(finding.rule, each) ?? []) : [];
  });
}

function united(rule: Rule, all: readonly LintFinding[]): LintFinding | undefined {
  const open = all.find(({ kind }) => kind === "undecided");
  if (open !== undefined) return { ...open, rule };
  const by = [...new Set(all.flatMap((each) => (each.kind === "shadowed" ? each.by : [])))];
  if (all.every(({ kind }) => kind !== "redundant"))
    return by.length > 0 ? { kind: "shadowed", rule, by } : { kind: "matches-nothing", rule };
  // Two parts with the same zones may replace each other, so that one of them must stay.
  return new Set(all.map((each) => JSON.stringify(each.rule.zones))).size === all.length ? { kind: "redundant", rule } : undefined;
}

function findingAbout(model: Model, policy: CompiledPolicy, at: number, effort: Budget): LintFinding | undefined {
  const idle = idleAt(model, policy, at, effort);
  if (idle !== undefined) return idle;
  const { rule, boxes } = policy.rules[at] as CompiledPolicy["rules"][number];
  const effect = effectIn(model, policy, at, boxes, effort);
  if (effect === "uncovered") return undefined;
  return effect === "covered" ? { kind: "redundant", rule } : { kind: "undecided", rule, question: "redundant" };
}

/** A rule that decides no flow, or whose check ran out of effort. */
export type IdleRule = Exclude<LintFinding, { readonly kind: "redundant" }>;

/** Checks whether the rule at a position decides no flow. Returns undefined if it certainly decides one. */
export function idleAt({ space }: Model, policy: CompiledPolicy, at: number, effort: Budget): IdleRule | undefined {
  const { rule, boxes } = policy.rules[at] as CompiledPolicy["rules"][number];
  if (boxes.length === 0) return { kind: "matches-nothing", rule };
  const above = boxes.map((box) => policy.index.meeting(box, at));
  const covers = boxes.map((box, place) => uncovered(space, box, boxesOf(above[place] ?? []), effort));
  if (covers.every(({ state }) => state === "covered")) {
    const by = fewest(boxes, above, (box, others) => uncovered(space, box, others, effort).state === "covered");
    return { kind: "shadowed", rule, by: by.map((place) => policy.rules[place]?.rule as Rule) };
  }
  // Without a flow that it certainly decides, the result is undecided.
  return covers.every(({ state }) => state !== "uncovered") ? { kind: "undecided", rule, question: "shadowed" } : undefined;
}

const boxesOf = (pieces: readonly Piece[]): readonly Box[] => pieces.map(({ box }) => box);

/** Returns a minimal set of rules that cover all boxes together. Tries to remove each rule, from the bottom. */
function fewest(
  boxes: readonly Box[],
  above: readonly (readonly Piece[])[],
  covers: (box: Box, others: readonly Box[]) => boolean,
): readonly number[] {
  const suffice = (places: ReadonlySet<number>): boolean =>
    boxes.every((box, place) => covers(box, boxesOf((above[place] ?? []).filter(({ at }) => places.has(at)))));
  // A single covering rule meets the first box. Under a rule for all traffic, it is often the first of thousands.
  for (const [place, pieces] of groupsOf(above[0] ?? [])) {
    if (covers(boxes[0] as Box, boxesOf(pieces)) && (boxes.length === 1 || suffice(new Set([place])))) return [place];
  }
  const all = [...new Set(above.flatMap((pieces) => pieces.map(({ at }) => at)))].sort((a, b) => a - b);
  const kept = new Set(all);
  for (const place of all.toReversed()) {
    kept.delete(place);
    if (!suffice(kept)) kept.add(place);
  }
  return all.filter((place) => kept.has(place));
}

/** Groups adjacent boxes by rule. It is a generator, so that a caller can stop early. */
function* groupsOf(pieces: readonly Piece[]): Generator<readonly [number, readonly Piece[]]> {
  for (let from = 0, end = 0; from < pieces.length; from = end) {
    const { at } = pieces[from] as Piece;
    while (pieces[end]?.at === at) end++;
    yield [at, pieces.slice(from, end)];
  }
}

interface EffectOptions {
  /** Positions of rules that are ignored. */
  readonly without?: ReadonlySet<number>;
  /** Returns whether a rule below gives another result than the rule itself. Default: another verdict or treatment. */
  readonly isOther?: (below: Rule, own: Rule) => boolean;
}

/**
 * Checks whether the rule at a position has an effect on some of its flows: without the rule, one of them would get a different result.
 * `uncovered` means yes.
 */
export function effectIn(
  { space }: Model,
  { rules, index }: CompiledPolicy,
  at: number,
  flows: readonly Box[],
  effort: Budget,
  { without, isOther = (below, own) => !doesAlike(below, own) }: EffectOptions = {},
): Cover["state"] {
  const { rule } = rules[at] as CompiledPolicy["rules"][number];
  let undecided = false;
  for (const box of flows) {
    const others = index.meeting(box).filter((piece) => piece.at !== at && without?.has(piece.at) !== true);
    // Starts at the end, because most flows of the rule would reach a default rule.
    for (const below of others.toReversed()) {
      if (below.at < at) break;
      const both = isOther(rules[below.at]?.rule as Rule, rule) ? space.and(box, below.box) : undefined;
      if (both === undefined) continue;
      const first = others.filter((piece) => piece.at < below.at);
      const { state } = uncovered(space, both, boxesOf(first), effort);
      if (state === "uncovered") return state;
      if (state === "undecided") undecided = true;
    }
  }
  return undecided ? "undecided" : "covered";
}

function doesAlike(one: Rule, other: Rule): boolean {
  return one.verdict === other.verdict && one.treatment === other.treatment;
}
