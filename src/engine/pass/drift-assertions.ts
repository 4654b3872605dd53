import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { Drift, DriftItem } from "../../outcome/outcome.js";
import { afterOperations } from "../../plan/after.js";
import type { Attribution } from "../../plan/diff/change.js";
import { judgeAssertions } from "../../reachability/assertions/assertions.js";
import { operationsIn } from "../../reachability/changes/insight.js";
import { treeWith } from "../../reachability/changes/whole-tree.js";
import { type Asserting, assertedSubtrees, judgedIn } from "./plan-assertions.js";

/** Paths that were changed on the target. Excludes differences that come, or may come, from a new desired state. */
export function changedByOthers({ items }: Drift): Path[] {
  return items
    .filter(({ isOfDesired, isCauseUnknown }) => isOfDesired !== true && isCauseUnknown !== true)
    .map(({ change }) => change.path);
}

/** Judges the assertions on the running rules. The comparison is the running rules without the manual changes. */
export async function assertedInDrift(
  { target, context, plan, live }: Omit<Asserting, "accounts" | "onReread">,
  drift: Drift,
): Promise<readonly JudgedAssertion[] | undefined> {
  const judged = await judgedIn(context, false, async (source) => {
    const read = { target, subtrees: live.subtrees, tree: live.candidate, view: "running", borrowed: context.policies?.borrowed } as const;
    const running = await treeWith(await assertedSubtrees(context), read);
    const operations = operationsIn(plan, changedByOthers(drift));
    const before = operations.length === 0 ? running : afterOperations(running, operations);
    return await judgeAssertions({ ...source, target }, { before, after: running });
  });
  return judged?.map((each) => withAttribution(each, drift.items));
}

/** Adds the last administrator who changed the deciding rule or the selected object, if that change is drift. */
function withAttribution(judged: JudgedAssertion, items: readonly DriftItem[]): JudgedAssertion {
  const { witness, selected } = judged;
  if (witness !== undefined) return { ...judged, witness: { ...witness, ...changerOf(witness.rule.where.xpath, items) } };
  if (selected === undefined) return judged;
  const changer = selected.places.map(({ xpath }) => changerOf(xpath, items)).find((each) => each !== undefined);
  return { ...judged, selected: { ...selected, ...changer } };
}

function changerOf(xpath: string | undefined, items: readonly DriftItem[]): Attribution | undefined {
  if (xpath === undefined) return undefined;
  const place = pathOf(xpath);
  if (place === undefined) return undefined;
  const item = items.find(
    ({ change, attribution }) => attribution !== undefined && (place.contains(change.path) || change.path.contains(place)),
  );
  if (item?.attribution === undefined) return undefined;
  const { admin, time } = item.attribution;
  return { admin, time };
}

/** Returns undefined for XPaths of texts and attributes, which are not paths. */
function pathOf(xpath: string): Path | undefined {
  try {
    return parsePath(xpath);
  } catch {
    return undefined;
  }
}
