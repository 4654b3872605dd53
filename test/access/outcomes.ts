import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { Brute, type Facts } from "../targets/panos/policy/brute.js";
import { RULES } from "./exhaustive.js";
import { EVERY_FLOW, elementOf } from "./worlds.js";

/** What happens to a flow, by the independent interpreter. */
export interface Outcome {
  readonly rule: string;
  readonly allowed: boolean;
  /** Log setting of the rule. Empty if the flow is denied. */
  readonly log: string;
}

/** The log setting of each rule. */
export function logsIn(tree: TreeNode): ReadonlyMap<string, string> {
  const rules = find(tree, RULES)?.children ?? [];
  return new Map(rules.map(({ name = "", children }) => [name, children.find(({ tag }) => tag === "log-setting")?.text ?? ""]));
}

/** What happens to each flow: denied, or allowed with the logs of its rule. */
export function outcomes(tree: TreeNode, facts: Facts): readonly Outcome[] {
  const brute = new Brute(elementOf(tree), "vsys1", facts);
  const logs = logsIn(tree);
  return EVERY_FLOW.map((flow) => {
    const { rule, allowed } = brute.decide(flow);
    return { rule, allowed, log: allowed ? (logs.get(rule) ?? "") : "" };
  });
}
