import { PlumblineError } from "../core/errors.js";
import { TreeNode } from "../core/tree/node.js";
import { Query } from "../core/tree/query/query.js";
import type { HouseRule } from "./assertions.js";
import type { SourceMap } from "./source-map.js";

/** Returns errors in the expressions of house rules that do not depend on a tree. Code: `assertion-invalid`. */
export function houseRuleFaults(rules: readonly HouseRule[], sources: SourceMap): PlumblineError[] {
  return rules.flatMap(({ name, xpath, origin }) => {
    const fault = faultOf(xpath);
    if (fault === undefined) return [];
    const next = "Write XPath 1.0 that selects forbidden nodes: rulebase/security/rules/entry[not(tag)].";
    return [new PlumblineError("assertion-invalid", `Assertion "${name}": ${fault}`, { where: { ...sources.locate(origin) }, next })];
  });
}

function faultOf(xpath: string): string | undefined {
  try {
    // The type of the result, nodes or a value, does not depend on the tree.
    const result = new Query(xpath).evaluate(new TreeNode("config"));
    return typeof result === "object" ? undefined : `xpath: returns a ${typeof result} instead of nodes.`;
  } catch (error) {
    if (error instanceof PlumblineError) return error.message;
    throw error;
  }
}
