import { hasUniqueNames, hasUniqueTexts } from "../child-index.js";
import { childEntry, childMember, pathOf } from "../lookup.js";
import type { TreeNode } from "../node.js";
import { Path } from "../path.js";
import { TEXT_TAG } from "../xml/builder.js";
import type { Predicate, Step, XPath } from "./expression.js";
import { tester } from "./matches.js";

/** A node with its address. */
export interface Selected<Node extends TreeNode = TreeNode> {
  readonly node: Node;
  readonly path: Path;
}

/**
 * Returns all nodes that an expression selects, in document order. An absolute expression begins at the root element `node`. A relative one
 * begins at the children of `node`, whose own address is `base`. Linear in the number of visited children; a step with a single name uses
 * the index.
 */
export function select<Node extends TreeNode>(node: Node, xpath: XPath, base: Path = Path.root): Selected<Node>[] {
  if (!xpath.absolute) return walk([{ node, path: base }], xpath.steps);
  const [first, ...rest] = xpath.steps;
  if (first === undefined) return [];
  return walk(keep(byTag([node], first.tag), Path.root, first.predicates), rest);
}

function walk<Node extends TreeNode>(from: Selected<Node>[], steps: readonly Step[]): Selected<Node>[] {
  let selected = from;
  for (const step of steps) selected = selected.flatMap(({ node, path }) => childrenBy(node, path, step));
  return selected;
}

function childrenBy<Node extends TreeNode>(node: Node, path: Path, step: Step): Selected<Node>[] {
  const { tag } = step;
  const [predicate, ...rest] = step.predicates;
  const only = tag !== undefined && predicate !== undefined ? onlyChild(node, tag, predicate) : undefined;
  if (only !== undefined) return keep(only, path, rest);
  return keep(byTag(node.children as readonly Node[], tag), path, step.predicates);
}

/** Returns the children for a predicate by key, if the index proves that there is at most one. Otherwise undefined. */
function onlyChild<Node extends TreeNode>(node: Node, tag: string, predicate: Predicate): Node[] | undefined {
  const { children } = node;
  if (predicate.kind === "attribute" && predicate.name === "name" && hasUniqueNames(children, tag)) {
    return present(childEntry(node, predicate.value, tag));
  }
  if (predicate.kind === "text" && predicate.value !== "" && hasUniqueTexts(children, tag)) {
    return present(childMember(node, predicate.value, tag));
  }
  return undefined;
}

function present<Node>(node: Node | undefined): Node[] {
  return node === undefined ? [] : [node];
}

function byTag<Node extends TreeNode>(nodes: readonly Node[], tag: string | undefined): Node[] {
  return nodes.filter((node) => (tag === undefined ? node.tag !== TEXT_TAG : node.tag === tag));
}

function keep<Node extends TreeNode>(candidates: Node[], parent: Path, predicates: readonly Predicate[]): Selected<Node>[] {
  let kept = candidates;
  for (const predicate of predicates) {
    const before = kept;
    const test = tester(predicate);
    kept = before.filter((node, index) => test(node, index + 1, before.length));
  }
  return kept.map((node) => ({ node, path: pathOf(parent, node) }));
}
