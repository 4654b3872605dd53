import type { TreeNode } from "../../../core/tree/node.js";
import { matches } from "../../../core/tree/xpath/matches.js";
import type { Predicate, Step, XPath } from "../../../core/tree/xpath/xpath.js";
import type { Chain } from "./config-tree.js";
import { findChild } from "./sibling-index.js";

/** Returns the chains of all nodes that an absolute xpath selects, in document order. */
export function locate(root: TreeNode, xpath: XPath): Chain[] {
  const [first, ...rest] = xpath.steps;
  if (!xpath.absolute || first === undefined) return [];
  let chains: Chain[] = selectStep([root], first).map((node) => [node]);
  for (const step of rest) chains = chains.flatMap((chain) => childrenAt(chain, step));
  return chains;
}

function childrenAt(chain: Chain, step: Step): Chain[] {
  const parent = chain[chain.length - 1] as TreeNode;
  return childrenBy(parent, step).map((node) => [...chain, node]);
}

/** Uses the index for predicates on names. Positions, texts and other predicates need a scan of the complete list. */
function childrenBy(parent: TreeNode, step: Step): readonly TreeNode[] {
  const names = namesOf(step);
  if (step.tag === undefined || names === undefined) return selectStep(parent.children, step);
  const { tag } = step;
  const found = names.map((name) => findChild(parent.children, tag, name)).filter((node) => node !== undefined);
  if (found.length < 2) return found;
  const wanted = new Set(found);
  return parent.children.filter((node) => wanted.has(node));
}

/** Returns the names that a step's only predicate selects. Returns undefined for any other kind of step. */
function namesOf(step: Step): string[] | undefined {
  const [predicate, second] = step.predicates;
  if (predicate === undefined || second !== undefined) return undefined;
  const terms = predicate.kind === "or" ? predicate.operands : [predicate];
  const names = new Set<string>();
  for (const term of terms) {
    if (term.kind !== "attribute" || term.name !== "name") return undefined;
    names.add(term.value);
  }
  return [...names];
}

function selectStep(nodes: readonly TreeNode[], step: Step): readonly TreeNode[] {
  let kept: readonly TreeNode[] = nodes.filter((node) => (step.tag === undefined ? node.tag !== "#text" : node.tag === step.tag));
  for (const predicate of step.predicates) kept = filterBy(kept, predicate);
  return kept;
}

function filterBy(nodes: readonly TreeNode[], predicate: Predicate): readonly TreeNode[] {
  return nodes.filter((node, index) => matches(node, predicate, index + 1, nodes.length));
}
