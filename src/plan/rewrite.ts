import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { explodeEdit } from "./explode.js";
import type { Fragment } from "./fragment.js";
import { bytesForOperations, operationBytes, type PackLimits } from "./pack-requests.js";

/** Divides each `edit` of more than a request's size into smaller writes, if the platform allows the order. */
export function rewriteOversizeEdits(
  fragments: readonly Fragment[],
  live: TreeNode,
  root: Shape,
  limits: PackLimits & { readonly move: boolean },
): Fragment[] {
  return fragments.flatMap((fragment) => {
    const { operation } = fragment;
    if (operation.action !== "edit" || operationBytes(operation) <= bytesForOperations(limits)) return [fragment];
    const before = find(live, operation.at);
    const parts = before === undefined ? undefined : explodeEdit(operation, before, shapeAt(operation.at, root), limits.move);
    return parts === undefined ? [fragment] : parts.map((part) => ({ ...fragment, operation: part }));
  });
}
