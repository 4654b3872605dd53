import type { TreeNode } from "../../core/tree/node.js";
import { secretOf } from "../../core/tree/secret-of.js";

/** Cost of a choice: the weight of nodes and operations. Bytes decide between equal weights (docs/contributing/plan.md#cost). */
export interface Price {
  readonly weight: number;
  readonly bytes: number;
}

export const FREE: Price = { weight: 0, bytes: 0 };
export const IMPOSSIBLE: Price = { weight: Number.POSITIVE_INFINITY, bytes: 0 };

export function plus(a: Price, b: Price): Price {
  return { weight: a.weight + b.weight, bytes: a.bytes + b.bytes };
}

export function minus(a: Price, b: Price): Price {
  return { weight: a.weight - b.weight, bytes: a.bytes - b.bytes };
}

export function isCheaper(a: Price, b: Price): boolean {
  return a.weight < b.weight || (a.weight === b.weight && a.bytes < b.bytes);
}

/** Returns the nodes and bytes of an element with its complete content. */
export function priceOf(node: TreeNode): Price {
  const own = priceOfFrame(node);
  if (node.children.length === 0) return { weight: 1, bytes: own.bytes + (secretOf(node)?.reveal() ?? node.text).length };
  let { weight, bytes } = own;
  for (const child of node.children) {
    const price = priceOf(child);
    weight += price.weight;
    bytes += price.bytes;
  }
  return { weight, bytes };
}

/** Returns the price of an element around others: its two tags. */
export function priceOfFrame({ tag, name }: { readonly tag: string; readonly name?: string | undefined }): Price {
  return { weight: 1, bytes: 2 * tag.length + 5 + (name === undefined ? 0 : name.length + 8) };
}
