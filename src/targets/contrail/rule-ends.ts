import { endDatesIn } from "../../access/end-date.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { RuleEndAt } from "../../desired/rule-end.js";
import { ROOT_PATH, SCOPE } from "./collections.js";

/** Returns the end dates in descriptions of network policies. Rules of policies have no description that a document can set. */
export function ruleEndsIn(root: TreeNode): RuleEndAt[] {
  return (childByTag(root, "network-policys")?.children ?? []).flatMap((policy) => {
    const name = policy.name ?? "";
    const path = ROOT_PATH.child("network-policys").entry(name);
    const settings = childByTag(policy, "id_perms");
    const text = (tag: string) => (settings === undefined ? undefined : childByTag(settings, tag)?.text);
    const ends = endDatesIn(text("description") ?? "").filter(({ member }) => member === undefined);
    return ends.map(({ until }) => ({
      scope: SCOPE,
      kind: "network policy" as const,
      name,
      xpath: path.toString(),
      until,
      member: undefined,
      isDisabled: text("enable") === "false",
      path,
    }));
  });
}
