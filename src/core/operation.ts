import { pathOf } from "./tree/lookup.js";
import type { TreeNode } from "./tree/node.js";
import type { Path } from "./tree/path.js";

/**
 * One write, in the terms of the firewall specification. For `set`, `at` is the parent and `element` is merged under it. For `edit`, `at`
 * is the node that `element` replaces. Secrets inside `element` are `SecretLeaf` or `DesiredNode` with `handling.secret`; only a writer
 * reveals them.
 */
export type Operation =
  | { readonly action: "set"; readonly at: Path; readonly element: TreeNode }
  | { readonly action: "edit"; readonly at: Path; readonly element: TreeNode }
  | { readonly action: "delete"; readonly at: Path }
  | { readonly action: "move"; readonly at: Path; readonly where: "top" | "bottom" }
  | { readonly action: "move"; readonly at: Path; readonly where: "before" | "after"; readonly anchor: string }
  | { readonly action: "rename"; readonly at: Path; readonly newName: string };

/** Returns the path of the node that an operation creates, changes or removes. */
export function touchedPath(operation: Operation): Path {
  return operation.action === "set" ? pathOf(operation.at, operation.element) : operation.at;
}
