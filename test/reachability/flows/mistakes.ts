import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import { type Difference, differenceOf } from "../../../src/reachability/flows/difference.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import type { Row } from "../../../src/reachability/flows/rows.js";
import { decider, type Flow, truth, verdictAt } from "./brute.js";
import { rowReader } from "./in-row.js";

export function between(before: Policy, after: Policy, bounds: Bounds = {}): Difference {
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return differenceOf(model, one, other, bounds);
}

/** Flows for which the rows differ from the rules, and the undecided ones. */
export function mistakes(before: Policy, after: Policy, difference: Difference, flows: readonly Flow[]): readonly unknown[] {
  const { rows, undecided } = difference;
  const rowsWith = rowReader(rows, before, after);
  const wrong = flows.filter((flow) => {
    const [one, other] = [decider(before, flow), decider(after, flow)];
    const [was, is] = [verdictAt(before, one), verdictAt(after, other)];
    const found = rowsWith(flow);
    if (was === is) return found.length > 0;
    const names = (policy: Policy, at: number) => policy.rules[at]?.key.name ?? "no rule";
    return (
      found.length !== 1 ||
      found.some(
        (row) =>
          row.before.verdict !== was ||
          row.after.verdict !== is ||
          !(isUnderOneOf(row.conditions, flow) || (row.extent.kind === "holes" && row.extent.hasOtherConditions)) ||
          !row.before.rules.some(({ key }) => key.name === names(before, one)) ||
          !row.after.rules.some(({ key }) => key.name === names(after, other)),
      )
    );
  });
  return [...undecided, ...wrong];
}

/** True if a statement of a row must hold and does hold for one of its flows. */
function isUnderOneOf(conditions: Row["conditions"], { holding }: Flow): boolean {
  return (
    conditions.length === 0 || conditions.some((all) => all.every((each) => holding.has(truth(each.subject, each.unknown)) === each.holds))
  );
}
