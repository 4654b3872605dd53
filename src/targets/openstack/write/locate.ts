import type { Operation } from "../../../core/operation.js";
import { pathOf } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { ListName } from "../objects/kinds.js";

/** The object that an operation creates, changes or deletes. */
interface Located {
  readonly list: ListName;
  /** Path of its entry. */
  readonly path: Path;
  /** The entry that the operation writes. Undefined for a delete, or if it writes a part of the entry. */
  readonly element: TreeNode | undefined;
}

/** Consecutive operations on one object. An operation that replaces, renames or deletes an object has its own group. */
export interface ObjectOperations {
  /** The object of the first operation. */
  readonly located: Located;
  /** Replaces, renames or deletes the object. Undefined if it is created or written in parts. */
  readonly complete: Operation | undefined;
  readonly operations: Operation[];
}

export function byObject(batch: readonly Operation[]): ObjectOperations[] {
  const groups: ObjectOperations[] = [];
  for (const operation of batch) {
    const located = locate(operation);
    const isComplete = operation.action !== "set" && operation.at.equals(located.path);
    const last = groups.at(-1);
    if (!isComplete && last !== undefined && last.complete === undefined && last.located.path.equals(located.path))
      last.operations.push(operation);
    else groups.push({ located, complete: isComplete ? operation : undefined, operations: [operation] });
  }
  return groups;
}

/**
 * Finds the object of an operation. Objects are entries of the lists below the root, and of `subnets` in networks. A planned operation
 * affects one object.
 */
export function locate(operation: Operation): Located {
  const { path, element } = innermost(operation);
  const steps = path.steps();
  const [, list, entry, inner, nested] = steps;
  if (inner?.tag === "subnets" && nested?.name !== undefined) return { list: "subnets", path: nested, element: elementAt(nested) };
  if (list !== undefined && entry?.name !== undefined) return { list: list.tag as ListName, path: entry, element: elementAt(entry) };
  throw new Error(`an operation on no single object: ${operation.action} ${path}`);

  function elementAt(at: Path): TreeNode | undefined {
    return at.equals(path) ? element : undefined;
  }
}

/** Follows the frames of a `set` to the entry of an object. */
function innermost(operation: Operation): { readonly path: Path; readonly element: TreeNode | undefined } {
  if (operation.action === "edit") return { path: operation.at, element: operation.element };
  if (operation.action !== "set") return { path: operation.at, element: undefined };
  let { element } = operation;
  let path = pathOf(operation.at, element);
  for (;;) {
    const [only, ...others] = element.children;
    const isFrame = path.depth < 3 || (path.depth === 3 && only?.tag === "subnets") || (path.depth === 4 && path.tag === "subnets");
    if (!isFrame || only === undefined || others.length > 0) return { path, element };
    element = only;
    path = pathOf(path, only);
  }
}

/** Builds a tree that only contains `node` at `path`. */
export function framed(path: Path, node: TreeNode | undefined): TreeNode {
  const steps = path.steps();
  const inner = steps.slice(0, -1);
  return inner.reduceRight<TreeNode | undefined>(
    (below, step) => new TreeNode(step.tag, step.name, "", below === undefined ? [] : [below]),
    node,
  ) as TreeNode;
}

/** Returns the node with the name in the path. */
export function named(path: Path, node: TreeNode): TreeNode {
  return node.name === path.name ? node : new TreeNode(node.tag, path.name, node.text, node.children, node.attributes);
}
