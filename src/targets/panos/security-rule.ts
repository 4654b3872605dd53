import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";

/** Fields by which a security rule matches. */
export const MATCH_FIELDS = ["from", "to", "source", "destination", "source-user", "application", "service", "category"];

/** Default rules, which always follow all other rules, and their actions if the configuration does not set one. */
export const DEFAULTS = [
  { name: "intrazone-default", type: "intrazone", action: "allow" },
  { name: "interzone-default", type: "interzone", action: "deny" },
] as const;

export function passes(rule: TreeNode): boolean {
  return isPass(textOf(rule, "action"));
}

export function isPass(action: string | undefined): boolean {
  return action === "allow";
}

export function isDisabled(rule: TreeNode): boolean {
  return textOf(rule, "disabled") === "yes";
}

/** A rule without a field matches any value of it. */
export function isAny(rule: TreeNode, field: string): boolean {
  const list = childByTag(rule, field);
  return list === undefined || list.children.some((member) => member.text === "any");
}

/** Whether an enabled rule denies all traffic. Rules below it never match. */
export function deniesAll(rule: TreeNode): boolean {
  const isNegated = ["negate-source", "negate-destination"].some((tag) => textOf(rule, tag) === "yes");
  return !passes(rule) && !isDisabled(rule) && !isNegated && MATCH_FIELDS.every((field) => isAny(rule, field));
}

export function textOf(node: TreeNode, tag: string): string | undefined {
  return childByTag(node, tag)?.text;
}
