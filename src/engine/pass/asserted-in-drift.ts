import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { Drift, DriftItem } from "../../outcome/outcome.js";
import { afterOperations } from "../../plan/after.js";
import { judgeAssertions } from "../insight/assertions.js";
import { operationsIn } from "../insight/insight.js";
import { wholeTree } from "../insight/whole-tree.js";
import { type Asserting, judgedIn } from "./asserted.js";

/** Places that somebody changed by hand: not those where desired state has moved. */
export function changedByOthers({ items }: Drift): Path[] {
  return items.filter(({ isOfDesired }) => isOfDesired !== true).map(({ change }) => change.path);
}

/** What documents assert, judged by the rules in force, and by what they would be had nobody changed them by hand. */
export async function assertedInDrift(
  { target, context, plan, live }: Omit<Asserting, "ours" | "isFresh">,
  drift: Drift,
): Promise<readonly JudgedAssertion[] | undefined> {
  const judged = await judgedIn(context, false, async (source) => {
    const read = { target, subtrees: live.subtrees, tree: live.candidate, view: "running" } as const;
    const running = await wholeTree(source.role, context.desired.root, read);
    const operations = operationsIn(plan, changedByOthers(drift));
    const before = operations.length === 0 ? running : afterOperations(running, operations);
    return await judgeAssertions(source, { before, after: running });
  });
  return judged?.map((each) => withAttribution(each, drift.items));
}

/** Who last touched the rule that decides against it, where that is drift. */
function withAttribution(judged: JudgedAssertion, items: readonly DriftItem[]): JudgedAssertion {
  const xpath = judged.witness?.rule.where.xpath;
  if (judged.witness === undefined || xpath === undefined) return judged;
  const rule = parsePath(xpath);
  const item = items.find(
    ({ change, attribution }) => attribution !== undefined && (rule.contains(change.path) || change.path.contains(rule)),
  );
  if (item?.attribution === undefined) return judged;
  const { admin, time } = item.attribution;
  return { ...judged, witness: { ...judged.witness, admin, time } };
}
