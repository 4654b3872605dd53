import type { DomDocument, DomElement, DomNode } from "./dom.js";
import type { NodeTest } from "./node-test.js";
import { AXIS } from "./xpath-package.js";

/**
 * Returns the nodes on an axis that match a test, in axis order: reverse document order for backward axes. Of siblings, returns at most the
 * first `most`.
 */
export function onAxis(axis: number, node: DomNode, test: NodeTest, most = Number.POSITIVE_INFINITY): DomNode[] {
  const found: DomNode[] = [];
  COLLECT[axis]?.(node, test, found, most);
  return found;
}

type Collect = (node: DomNode, test: NodeTest, found: DomNode[], most: number) => void;

const COLLECT: Readonly<Record<number, Collect>> = {
  [AXIS.child]: (node, test, found) => keep(childrenFor(node, test), test, found),
  [AXIS.attribute]: (node, test, found) => keep(node.nodeType === 1 ? node.attributes : [], test, found),
  [AXIS.self]: (node, test, found) => keep([node], test, found),
  [AXIS.parent]: (node, test, found) => keep(node.parentNode === null ? [] : [node.parentNode], test, found),
  [AXIS.ancestor]: (node, test, found) => keep(ancestors(node), test, found),
  [AXIS.ancestorOrSelf]: (node, test, found) => keep([node, ...ancestors(node)], test, found),
  [AXIS.descendant]: descend,
  [AXIS.descendantOrSelf]: descendFromSelf,
  [AXIS.followingSibling]: (node, test, found, most) => keepSiblings(node, 1, test, found, most),
  [AXIS.precedingSibling]: (node, test, found, most) => keepSiblings(node, -1, test, found, most),
  [AXIS.following]: follow,
  [AXIS.preceding]: precede,
};

function keep(nodes: readonly DomNode[], test: NodeTest, found: DomNode[]): void {
  nodes[0]?.ownerDocument.budget.spend(nodes.length);
  for (const node of nodes) if (test.matches(node)) found.push(node);
}

function keepSiblings(node: DomNode, way: 1 | -1, test: NodeTest, found: DomNode[], most: number): void {
  const all = siblings(node);
  const { budget } = node.ownerDocument;
  for (let at = node.rank + way; at >= 0 && at < all.length && found.length < most; at += way) {
    const sibling = all[at] as DomNode;
    budget.spend(1);
    if (test.matches(sibling)) found.push(sibling);
  }
}

function childrenFor(node: DomNode, { elementsOnly }: NodeTest): readonly DomNode[] {
  return elementsOnly && node.nodeType === 1 && !node.hasElements ? [] : node.children;
}

function siblings(node: DomNode): readonly DomNode[] {
  return node.nodeType === 2 || node.parentNode === null ? [] : node.parentNode.children;
}

function ancestors(node: DomNode): DomNode[] {
  const above: DomNode[] = [];
  for (let at: DomDocument | DomElement | null = node.parentNode; at !== null; at = at.parentNode) above.push(at);
  return above;
}

function descend(node: DomNode, test: NodeTest, found: DomNode[]): void {
  const children = childrenFor(node, test);
  node.ownerDocument.budget.spend(children.length);
  for (const child of children) {
    if (test.matches(child)) found.push(child);
    descend(child, test, found);
  }
}

function descendFromSelf(node: DomNode, test: NodeTest, found: DomNode[]): void {
  keep([node], test, found);
  descend(node, test, found);
}

/** Collects nodes that begin after the end of `node`. For an attribute, this includes the content of its element. */
function follow(node: DomNode, test: NodeTest, found: DomNode[]): void {
  if (node.nodeType === 2) descend(node.ownerElement, test, found);
  const start: DomNode = node.nodeType === 2 ? node.ownerElement : node;
  for (const at of [start, ...ancestors(start)])
    for (const sibling of siblings(at).slice(at.rank + 1)) descendFromSelf(sibling, test, found);
}

/** Collects nodes that end before `node` begins, nearest first. This excludes ancestors. */
function precede(node: DomNode, test: NodeTest, found: DomNode[]): void {
  const start: DomNode = node.nodeType === 2 ? node.ownerElement : node;
  for (const at of [start, ...ancestors(start)]) descendBackwards(siblings(at), at.rank, test, found);
}

/** Collects the first `count` of `nodes` and their descendants, in reverse document order. */
function descendBackwards(nodes: readonly DomNode[], count: number, test: NodeTest, found: DomNode[]): void {
  nodes[0]?.ownerDocument.budget.spend(count);
  for (let at = count - 1; at >= 0; at--) {
    const node = nodes[at] as DomNode;
    const children = childrenFor(node, test);
    descendBackwards(children, children.length, test, found);
    if (test.matches(node)) found.push(node);
  }
}
