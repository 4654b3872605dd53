import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { DesiredNode } from "../../desired/model.js";
import { isDeletedWithObject } from "../../plan/diff/inherited.js";
import type { MeaningChange } from "../../plan/model.js";
import { ROOT_PATH } from "./shape.js";

const ETHERTYPES: readonly string[] = ["IPv4", "IPv6"];

/**
 * Reports each group whose documents restrict egress and which keeps a rule that allows all egress. The service gives every new group
 * such a rule for IPv4 and for IPv6, and Plumbline deletes them only from an exclusive list.
 */
export function keptDefaultRules(desired: DesiredNode, live: TreeNode): readonly MeaningChange[] {
  const liveGroups = new Map((childByTag(live, "security_groups")?.children ?? []).map((group) => [group.name, group]));
  return (childByTag(desired, "security_groups")?.children ?? []).flatMap((group) => {
    const rules = childByTag(group, "rules");
    const egress = (rules?.children ?? []).filter((rule) => textOf(rule, "direction") === "egress");
    if (egress.length === 0 || (rules instanceof DesiredNode && rules.handling?.exclusive === true)) return [];
    const declared = new Set(egress.filter(allowsAll).map(ethertypeOf));
    const kept = defaultsOf(liveGroups.get(group.name)).filter((ethertype) => !declared.has(ethertype));
    return kept.length === 0 ? [] : [note(group.name ?? "", kept)];
  });
}

/** Returns the rule lists of live groups in which a default rule is missing: a new group of the same document would have it. */
export function listsWithoutDefaults(live: TreeNode): readonly Path[] {
  const groups = childByTag(live, "security_groups")?.children ?? [];
  return groups
    .filter((group) => defaultsOf(group).length < ETHERTYPES.length)
    .map(({ name }) =>
      ROOT_PATH.child("security_groups")
        .entry(name ?? "")
        .child("rules"),
    );
}

/** Returns the ethertypes of the default rules of a live group; a group that does not exist yet gets both. */
function defaultsOf(group: TreeNode | undefined): readonly string[] {
  if (group === undefined) return ETHERTYPES;
  return (childByTag(group, "rules")?.children ?? []).filter(isDeletedWithObject).map(ethertypeOf);
}

function note(name: string, ethertypes: readonly string[]): MeaningChange {
  const path = ROOT_PATH.child("security_groups").entry(name).child("rules");
  const owned = path.toString().slice(`${ROOT_PATH}/`.length);
  const message = `Security group "${name}" still allows all ${ethertypes.join(" and ")} egress: it keeps the default rules of the service. To delete them, write owns: { "${owned}": exclusive }.`;
  return { path, message };
}

function allowsAll(rule: TreeNode): boolean {
  return rule.children.every(({ tag }) => ["direction", "ethertype", "description"].includes(tag));
}

function ethertypeOf(rule: TreeNode): string {
  return textOf(rule, "ethertype") ?? "IPv4";
}

function textOf(node: TreeNode, tag: string): string | undefined {
  return childByTag(node, tag)?.text;
}
