import { endDatesIn } from "../../access/end-date.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { RuleEnd, RuleEndAt } from "../../desired/rule-end.js";
import { ruleText } from "./rule-text.js";
import { PROJECT, ROOT_PATH } from "./shape.js";

/** Returns the end dates of security groups and of their rules. A group without its own date ends with none of its rules. */
export function ruleEndsIn(root: TreeNode): RuleEndAt[] {
  const groups = ROOT_PATH.child("security_groups");
  return (childByTag(root, "security_groups")?.children ?? []).flatMap((group) => {
    const at = groups.entry(group.name ?? "");
    const rules = childByTag(group, "rules")?.children ?? [];
    return [
      ...endsOf(group, at, "security group", group.name ?? ""),
      ...rules.flatMap((rule) => endsOf(rule, at.child("rules").entry(rule.name ?? ""), "rule", `${group.name}: ${ruleText(rule)}`)),
    ];
  });
}

function endsOf(node: TreeNode, path: Path, kind: RuleEnd["kind"], name: string): RuleEndAt[] {
  const ends = endDatesIn(childByTag(node, "description")?.text ?? "").filter(({ member }) => member === undefined);
  return ends.map(({ until }) => ({
    scope: PROJECT,
    kind,
    name,
    xpath: path.toString(),
    until,
    member: undefined,
    isDisabled: false,
    path,
  }));
}
