import type { TreeNode } from "../../core/tree/node.js";
import type { DomElement, DomNode } from "../../core/tree/query/dom.js";
import type { QueryResult } from "../../core/tree/query/query.js";
import type { DesiredKind } from "../../desired/kind.js";

/** What an expression gave on one target. */
export interface Answer {
  readonly target: string;
  readonly kind: DesiredKind;
  /** Root element of what was asked. */
  readonly root: TreeNode;
  readonly result: QueryResult;
}

export function isNodes(result: QueryResult): result is readonly DomNode[] {
  return typeof result === "object";
}

export function isEmptyAnswer({ result }: Answer): boolean {
  return isNodes(result) && result.length === 0;
}

/** The element for the document above it; other nodes as they are. */
export function withoutDocument(node: DomNode): Exclude<DomNode, { readonly nodeType: 9 }> {
  return node.nodeType === 9 ? node.documentElement : node;
}

export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === 1;
}
