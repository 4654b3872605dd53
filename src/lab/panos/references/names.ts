import type { TreeNode } from "../../../core/tree/node.js";
import type { Chain } from "../tree/config-tree.js";
import { type Place, placeBelow } from "../tree/place.js";

/** An entry that other nodes can reference. */
export interface Definition {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly scopes: readonly string[];
}

/** A value that references an entry of one of `kinds`. */
export interface Reference {
  readonly kinds: readonly string[];
  readonly value: string;
  readonly scopes: readonly string[];
  /** Chain of the node with the value. */
  readonly chain: Chain;
}

export interface NameVisitor {
  definition(definition: Definition): void;
  reference(reference: Reference): void;
}

/** Visits every definition and reference at and below `node`. `parents` and `parentPlace` belong to its parent node. */
export function visitNames(parents: Chain, parentPlace: Place, node: TreeNode, visitor: NameVisitor): void {
  const place = placeBelow(parentPlace, node);
  visitNode(parents, parentPlace, node, place, visitor);
  if (node.children.length === 0) return;
  const chain = [...parents, node];
  for (const child of node.children) visitNames(chain, place, child, visitor);
}

/** Visits every definition and reference below the root element. */
export function visitRoot(root: TreeNode, place: Place, visitor: NameVisitor): void {
  for (const child of root.children) visitNames([root], place, child, visitor);
}

function visitNode(parents: Chain, parentPlace: Place, node: TreeNode, place: Place, visitor: NameVisitor): void {
  const { list } = parentPlace.spot;
  if (node.tag === "entry" && node.name !== undefined && list !== undefined) {
    visitor.definition({ kind: list.kind, name: node.name, namespace: list.namespace, scopes: parentPlace.scopes });
  }
  const { reference } = place.spot;
  if (reference === undefined) return;
  const value = node.tag === "entry" ? node.name : node.text;
  if (value === undefined || value === "" || node.children.length > (node.tag === "entry" ? Number.POSITIVE_INFINITY : 0)) return;
  if (reference.words?.includes(value) === true) return;
  visitor.reference({ kinds: reference.kinds, value, scopes: parentPlace.scopes, chain: [...parents, node] });
}
