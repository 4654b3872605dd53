import type { DomNode } from "./dom.js";

/** Returns a negative number if `a` comes before `b` in the document. The time grows with their depth. */
function compareDocumentOrder(a: DomNode, b: DomNode): number {
  if (a === b) return 0;
  if (a.parentNode === b.parentNode) return a.rank - b.rank;
  let left = a;
  let right = b;
  const depths = depthOf(a) - depthOf(b);
  for (let steps = depths; steps > 0; steps--) left = left.parentNode ?? left;
  for (let steps = depths; steps < 0; steps++) right = right.parentNode ?? right;
  if (left === right) return depths;
  while (left.parentNode !== right.parentNode) {
    left = left.parentNode ?? left;
    right = right.parentNode ?? right;
  }
  return left.rank - right.rank;
}

/** Returns the nodes in document order without duplicates. Returns the same array if the nodes are already ordered. */
export function inDocumentOrder(nodes: readonly DomNode[]): readonly DomNode[] {
  if (isOrdered(nodes)) return nodes;
  return [...new Set(nodes)].sort(compareDocumentOrder);
}

function isOrdered(nodes: readonly DomNode[]): boolean {
  for (let index = 1; index < nodes.length; index++) {
    if (compareDocumentOrder(nodes[index - 1] as DomNode, nodes[index] as DomNode) >= 0) return false;
  }
  return true;
}

function depthOf(node: DomNode): number {
  let depth = 0;
  for (let at: DomNode | null = node; at !== null; at = at.parentNode) depth++;
  return depth;
}
