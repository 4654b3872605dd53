import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";

export const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
export const rule = (name: string, action: string, was?: string) =>
  `          - { name: ${name}, ${was === undefined ? "" : `$was: ${was}, `}from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: ${action} }\n`;
export const document = (rules: string, head = "") =>
  `target: edge\nscope: vsys1\nowns: { rulebase/security/rules: shared }\n${head}config:\n  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n${rules}`;
export const BEFORE = document(rule("a", "allow") + rule("b", "drop"));
export const SWAPPED = document(rule("b", "allow", "a") + rule("a", "drop", "b"));

/** `name action` of each rule, in order. */
export function rulesOf(config: TreeNode): string[] {
  const text = (entry: TreeNode) => entry.children.find(({ tag }) => tag === "action")?.text;
  return (find(config, parsePath(RULES))?.children ?? []).map((entry) => `${entry.name} ${text(entry)}`);
}
