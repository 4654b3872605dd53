import { PlumblineError, type Where } from "../core/errors.js";
import { parseXPath, type Selected, select, type XPath } from "../core/tree/xpath/xpath.js";
import type { LiveLookup } from "./loaded.js";
import { unreadable } from "./unreadable.js";

/** Result of `where:` for one selected node: `later` if the live value is not read yet, `offline` if it is never read. */
export type ConditionResult = "in" | "out" | "later" | "offline" | PlumblineError;

/**
 * Evaluates `where:` for a selected node of `target`. The condition is a path that must lead to a value from the node. Declared values
 * decide, or else live values. A node that this run will create is included. If a node should exist but does not, its value is unknown: the
 * result is an error, so that the target with the `$forEach` does not lose objects.
 */
export function judge(selected: Selected, condition: XPath, target: string, live: LiveLookup | undefined, where: Where): ConditionResult {
  if (holds(select(selected.node, condition))) return "in";
  if (select(selected.node, { ...condition, steps: condition.steps.map(({ tag }) => ({ tag, predicates: [] })) }).length > 0) return "out";
  // `validate` does not read live trees.
  if (live === undefined) return "offline";
  const answer = live.nodes(target, selected.path.toString());
  if (answer instanceof PlumblineError) return unreadable(answer, target, where);
  if (answer === "later") return "later";
  const [itself] = answer;
  if (itself !== undefined) return holds(select(itself.node, condition)) ? "in" : "out";
  const name = selected.node.name ?? selected.node.tag;
  return new PlumblineError(
    "reference-nothing",
    `"${name}", which $forEach selects, does not exist in ${target}: ${condition.text} is unknown.`,
    {
      where,
      next: `Check it with \`plumbline plan ${target}\`. This target continues once it exists or is no longer declared.`,
    },
  );
}

/**
 * Parses `where:`.
 *
 * @throws PlumblineError `xpath-malformed`, or `xpath-not-exact` for a path that does not start at the node
 */
export function parseCondition(text: string): XPath {
  const parsed = parseXPath(text);
  if (parsed.absolute || parsed.steps.length === 0)
    throw new PlumblineError("xpath-malformed", `The path ${text} does not start at the selected node.`, {
      where: { xpath: text },
      next: "Write steps from the node, such as addresses/entry/address or status[text()='ACTIVE'].",
    });
  return parsed;
}

function holds(found: readonly Selected[]): boolean {
  return found.some(({ node }) => node.children.length > 0 || node.text !== "" || node.name !== undefined);
}
