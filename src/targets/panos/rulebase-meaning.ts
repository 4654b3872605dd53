import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { MeaningChange } from "../../plan/model.js";
import { deniesAll, isDisabled, passes } from "./security-rule.js";

/** Reports changes to a security rulebase: it no longer denies unmatched traffic, or one rule shadows others. */
export function rulebaseMeaning(list: Path, before: TreeNode | undefined, after: TreeNode | undefined): MeaningChange[] {
  const [former, next] = [rulesIn(before), rulesIn(after)];
  return [...lostClosing(list, former, next), ...hiding(list, former, next)];
}

function rulesIn(list: TreeNode | undefined): readonly TreeNode[] {
  return (list?.children ?? []).filter((rule) => rule.name !== undefined);
}

/** The last rule denied all traffic before the change, and no rule does so afterwards. */
function lostClosing(list: Path, before: readonly TreeNode[], after: readonly TreeNode[]): MeaningChange[] {
  const closing = before.findLast((rule) => !isDisabled(rule));
  if (closing?.name === undefined || !deniesAll(closing) || after.some(deniesAll)) return [];
  const message = `Rule "${closing.name}" denied everything at the end of the rulebase, and no rule does any longer: unmatched traffic may pass.`;
  return [{ path: list.entry(closing.name), message }];
}

/** A rule that denies everything now precedes allow rules that were effective before. */
function hiding(list: Path, before: readonly TreeNode[], after: readonly TreeNode[]): MeaningChange[] {
  const denying = after.find(deniesAll);
  const hidden = hiddenIn(before);
  const inForce = new Set(before.filter((rule) => !isDisabled(rule)).map(({ name }) => name));
  const newly = hiddenIn(after).filter((name) => inForce.has(name) && !hidden.includes(name));
  if (denying?.name === undefined || newly.length === 0) return [];
  const rules =
    newly.length === 1
      ? `rule "${newly[0]}", which allows traffic and no longer matches`
      : `${newly.length} rules that let traffic through and no longer match`;
  return [{ path: list.entry(denying.name), message: `Rule "${denying.name}" denies everything, above ${rules}.` }];
}

/** Names of enabled allow rules below a rule that denies everything. */
function hiddenIn(rules: readonly TreeNode[]): (string | undefined)[] {
  const denying = rules.findIndex(deniesAll);
  const below = denying === -1 ? [] : rules.slice(denying + 1);
  return below.filter((rule) => passes(rule) && !isDisabled(rule)).map(({ name }) => name);
}
