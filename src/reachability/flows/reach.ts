import { groupBy } from "../../core/group-by.js";
import { type Bounds, Budget } from "./budget.js";
import { isCertain } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { decidedBy } from "./decide.js";
import type { Rule, Verdict } from "./policy.js";
import { type Region, regionOf, type StatedLiteral, statedLiterals } from "./region.js";
import { type Box, PLACE } from "./space.js";
import { uncovered } from "./uncovered.js";
import { unite } from "./unite.js";

/** Steps for one rule, if an answer is not split into boxes. */
const RULE = 200_000;

/** Decision of one rule for the requested flows. Answers are in the order of the rules. */
export interface Answer {
  readonly verdict: Verdict;
  /** Level `end` means "no rule". */
  readonly rule: Rule;
  /** Conjunctions under which the rule decides. Empty means that it certainly decides some of the flows. */
  readonly conditions: readonly (readonly StatedLiteral[])[];
  /** `boxes` contains exactly the flows, each with its conditions. `example` is used if there are too many boxes. */
  readonly flows: { readonly kind: "boxes"; readonly regions: readonly Region[] } | { readonly kind: "example"; readonly region: Region };
  /** Whether the effort ran out before the rule was proven to decide any of these flows. */
  readonly undecided: boolean;
}

/** Returns the rules that decide the flows of a question, with their verdicts. No answers means that the question selects no flow. */
export function reach(model: Model, policy: CompiledPolicy, question: readonly Box[], bounds: Bounds = {}): readonly Answer[] {
  const { space } = model;
  const effort = new Budget(bounds);
  const disjoint = space.disjoint(question);
  const pieces = disjoint.map((box) => policy.index.meeting(box));
  const parts = disjoint.map((box, at) => decidedBy(space, [box], pieces[at] ?? [], () => true, effort));
  if (parts.every((part) => part !== undefined)) {
    const byRule = [...groupBy(parts.flat(), ({ at }) => at)].sort(([a], [b]) => a - b);
    return byRule.map(([at, those]) => {
      const boxes = unite(
        space,
        those.map(({ box }) => box),
      );
      return answerOf(model, policy, at, boxes, { kind: "boxes", regions: boxes.map((box) => regionOf(model, box)) }, false);
    });
  }
  const places = [...new Set(pieces.flatMap((each) => each.map(({ at }) => at)))].sort((a, b) => a - b);
  return places.flatMap((at) => completeAnswer(model, policy, disjoint, at, effort));
}

function answerOf(
  model: Model,
  { rules }: CompiledPolicy,
  at: number,
  boxes: readonly Box[],
  flows: Answer["flows"],
  undecided: boolean,
): Answer {
  const rule = rules[at]?.rule as Rule;
  const conditions = boxes.some(isCertain) ? [] : [...new Set(boxes.map((box) => box[PLACE.condition] as number))];
  return {
    verdict: rule.verdict,
    rule,
    conditions: conditions.map((conjunction) => statedLiterals(model, conjunction)),
    flows,
    undecided,
  };
}

/** Returns no answer if the rule certainly decides none of the requested flows. */
function completeAnswer(model: Model, policy: CompiledPolicy, boxes: readonly Box[], at: number, effort: Budget): readonly Answer[] {
  const flows = boxes
    .flatMap((box) => (policy.rules[at]?.boxes ?? []).map((each) => model.space.and(box, each)))
    .filter((box) => box !== undefined);
  let open: Box | undefined;
  for (const box of flows) {
    const above = policy.index.meeting(box, at).map((piece) => piece.box);
    const cover = uncovered(model.space, box, above, effort.share(RULE));
    if (cover.state === "uncovered")
      return [answerOf(model, policy, at, [cover.witness], { kind: "example", region: regionOf(model, cover.witness) }, false)];
    if (cover.state === "undecided") open = box;
  }
  return open === undefined ? [] : [answerOf(model, policy, at, [open], { kind: "example", region: regionOf(model, open) }, true)];
}
