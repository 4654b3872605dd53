import type { TreeNode } from "../../core/tree/node.js";
import type { DomElement, DomNode } from "../../core/tree/query/dom.js";
import type { QueryResult } from "../../core/tree/query/query.js";
import type { DesiredKind } from "../../desired/kind.js";

/** Result of an expression on one target. */
export interface Answer {
  readonly target: string;
  readonly kind: DesiredKind;
  /** Root element of the tree that was read. */
  readonly root: TreeNode;
  readonly result: QueryResult;
}

export function isNodes(result: QueryResult): result is readonly DomNode[] {
  return typeof result === "object";
}

export function isEmptyAnswer({ result }: Answer): boolean {
  return isNodes(result) && result.length === 0;
}

/** Returns the root element for the document node, and other nodes unchanged. */
export function withoutDocument(node: DomNode): Exclude<DomNode, { readonly nodeType: 9 }> {
  return node.nodeType === 9 ? node.documentElement : node;
}

export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === 1;
}
