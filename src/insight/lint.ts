import { groupBy } from "../core/group-by.js";
import { type CompiledPolicy, END_LEVEL, type Model } from "./compile.js";
import { type Bounds, Effort } from "./effort.js";
import { DEFAULT_LEVEL, type Rule } from "./policy.js";
import type { Piece } from "./rule-index.js";
import type { Box } from "./space.js";
import { type Cover, uncovered } from "./uncovered.js";

/** Steps for one rule. */
const RULE = 2_000_000;

/** Finding about a rule without effect. */
export type LintFinding =
  /** No flow can match it, for example because of an empty group or missing zones. */
  | { readonly kind: "matches-nothing"; readonly rule: Rule }
  /** Earlier rules decide all of its flows. `by` is a minimal set of such rules. */
  | { readonly kind: "shadowed"; readonly rule: Rule; readonly by: readonly Rule[] }
  /** It decides flows, but without it they would have the same verdict and the same treatment. */
  | { readonly kind: "redundant"; readonly rule: Rule }
  /** The effort ran out before the kind was decided. */
  | { readonly kind: "undecided"; readonly rule: Rule; readonly question: "shadowed" | "redundant" };

/** Findings about the rules of a policy, in order. Excludes default rules, which cannot be removed. */
export function lint(model: Model, policy: CompiledPolicy, bounds: Bounds = {}): readonly LintFinding[] {
  const effort = new Effort(bounds);
  const own = (level: string): boolean => level !== DEFAULT_LEVEL && level !== END_LEVEL;
  return ofWholes(
    policy,
    policy.rules.flatMap(({ rule }, at) => (own(rule.key.level) ? (findingAbout(model, policy, at, effort.share(RULE)) ?? []) : [])),
  );
}

/** Positions of all rules that one rule of the target was split into, by that rule. */
export function partsIn({ rules }: CompiledPolicy): ReadonlyMap<string, readonly number[]> {
  const places = rules.flatMap(({ rule }, at) => (rule.parts ?? []).map((part) => [part, at] as const));
  return new Map([...groupBy(places, ([part]) => part)].map(([part, all]) => [part, all.map(([, at]) => at)]));
}

/** Merges the findings of a split rule into one, if all of its parts have a finding. A part of two rules yields no finding. */
function ofWholes(policy: CompiledPolicy, findings: readonly LintFinding[]): readonly LintFinding[] {
  const found = new Map(findings.map((finding) => [finding.rule, finding]));
  const parts = partsIn(policy);
  const told = new Set<string>();
  return findings.flatMap((finding) => {
    const [part, ...others] = finding.rule.parts ?? [];
    if (part === undefined) return [finding];
    if (others.length > 0 || told.has(part)) return [];
    told.add(part);
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
  // Two of the same zones may do each other's work, so that one of them has to stay.
  return new Set(all.map((each) => JSON.stringify(each.rule.zones))).size === all.length ? { kind: "redundant", rule } : undefined;
}

function findingAbout(model: Model, policy: CompiledPolicy, at: number, effort: Effort): LintFinding | undefined {
  const idle = idleAt(model, policy, at, effort);
  if (idle !== undefined) return idle;
  const { rule } = policy.rules[at] as CompiledPolicy["rules"][number];
  const effect = effectOf(model, policy, at, effort);
  if (effect === "uncovered") return undefined;
  return effect === "covered" ? { kind: "redundant", rule } : { kind: "undecided", rule, question: "redundant" };
}

/** A rule that decides no flow, or for which no decided flow was found. */
export type IdleRule = Exclude<LintFinding, { readonly kind: "redundant" }>;

/** Returns a finding if the rule at a position decides no flow. Undefined if a decided flow was found. */
export function idleAt({ space }: Model, policy: CompiledPolicy, at: number, effort: Effort): IdleRule | undefined {
  const { rule, boxes } = policy.rules[at] as CompiledPolicy["rules"][number];
  if (boxes.length === 0) return { kind: "matches-nothing", rule };
  const above = boxes.map((box) => policy.index.meeting(box, at));
  const covers = boxes.map((box, place) => uncovered(space, box, boxesOf(above[place] ?? []), effort));
  if (covers.every(({ state }) => state === "covered")) {
    const by = fewest(boxes, above, (box, others) => uncovered(space, box, others, effort).state === "covered");
    return { kind: "shadowed", rule, by: by.map((place) => policy.rules[place]?.rule as Rule) };
  }
  // No finding without proof, unless no part has a decided flow.
  return covers.every(({ state }) => state !== "uncovered") ? { kind: "undecided", rule, question: "shadowed" } : undefined;
}

const boxesOf = (pieces: readonly Piece[]): readonly Box[] => pieces.map(({ box }) => box);

/** Positions of a minimal set of rules that cover all boxes together. Tries to remove each rule, the last ones first. */
function fewest(
  boxes: readonly Box[],
  above: readonly (readonly Piece[])[],
  covers: (box: Box, others: readonly Box[]) => boolean,
): readonly number[] {
  const suffice = (places: ReadonlySet<number>): boolean =>
    boxes.every((box, place) => covers(box, boxesOf((above[place] ?? []).filter(({ at }) => places.has(at)))));
  // A single covering rule must meet the first box. Under a rule that matches everything, it is usually the first of thousands.
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

/** Boxes by their rule, which lie side by side: one rule after the other, so that who has found one looks at no more. */
function* groupsOf(pieces: readonly Piece[]): Generator<readonly [number, readonly Piece[]]> {
  for (let from = 0, end = 0; from < pieces.length; from = end) {
    const { at } = pieces[from] as Piece;
    while (pieces[end]?.at === at) end++;
    yield [at, pieces.slice(from, end)];
  }
}

/** `uncovered` if removing the rule at `at` would change the verdict or treatment of a flow. */
function effectOf({ space }: Model, { rules, index }: CompiledPolicy, at: number, effort: Effort): Cover["state"] {
  const { rule, boxes } = rules[at] as CompiledPolicy["rules"][number];
  let undecided = false;
  for (const box of boxes) {
    const others = index.meeting(box).filter((piece) => piece.at !== at);
    // From the end, because most flows of a removed rule would reach a default rule.
    for (const below of others.toReversed()) {
      if (below.at < at) break;
      const flows = doesAlike(rules[below.at]?.rule, rule) ? undefined : space.and(box, below.box);
      if (flows === undefined) continue;
      const first = others.filter((piece) => piece.at < below.at);
      const { state } = uncovered(space, flows, boxesOf(first), effort);
      if (state === "uncovered") return state;
      if (state === "undecided") undecided = true;
    }
  }
  return undecided ? "undecided" : "covered";
}

function doesAlike(one: Rule | undefined, other: Rule): boolean {
  return one?.verdict === other.verdict && one.treatment === other.treatment;
}
