import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";

/** Fields by which a security rule matches. */
export const MATCH_FIELDS = ["from", "to", "source", "destination", "source-user", "application", "service", "category"];

/** Rules that stand below all others, whatever a configuration says, and what they do where it says nothing of them. */
export const DEFAULTS = [
  { name: "intrazone-default", type: "intrazone", action: "allow" },
  { name: "interzone-default", type: "interzone", action: "deny" },
] as const;

export function passes(rule: TreeNode): boolean {
  return isPass(textOf(rule, "action"));
}

/** Whether an action lets traffic through. */
export function isPass(action: string | undefined): boolean {
  return action === "allow";
}

export function isDisabled(rule: TreeNode): boolean {
  return textOf(rule, "disabled") === "yes";
}

/** A rule that says nothing of a field matches everything in it. */
export function isAny(rule: TreeNode, field: string): boolean {
  const list = childByTag(rule, field);
  return list === undefined || list.children.some((member) => member.text === "any");
}

/** True for a rule in force that lets nothing through, whatever it is: no rule below it matches any more. */
export function deniesAll(rule: TreeNode): boolean {
  const isNegated = ["negate-source", "negate-destination"].some((tag) => textOf(rule, tag) === "yes");
  return !passes(rule) && !isDisabled(rule) && !isNegated && MATCH_FIELDS.every((field) => isAny(rule, field));
}

export function textOf(node: TreeNode, tag: string): string | undefined {
  return childByTag(node, tag)?.text;
}
