import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { isInherited } from "../plan/diff/inherited.js";

/**
 * Returns the part of a live tree that belongs to the device, without nodes that a template or a manager put there
 * (docs/contributing/plan.md#inherited-parts). If each inherited element has the mark, unmarked elements below it are local overrides. If only the
 * topmost element has it, the mark covers everything below. Nodes in `complete` are returned with everything below them. `shape` is the shape of
 * `node`.
 */
export function localPart(node: TreeNode, shape: Shape, complete: ReadonlySet<TreeNode> = new Set()): TreeNode | undefined {
  return partOf(node, shape, { complete, isMarked: isInherited });
}

interface Marks {
  readonly complete: ReadonlySet<TreeNode>;
  readonly isMarked: (node: TreeNode) => boolean;
}

function partOf(node: TreeNode, shape: Shape, marks: Marks): TreeNode | undefined {
  const { complete, isMarked } = marks;
  if (complete.has(node)) return node;
  const holdsMark = (child: TreeNode): boolean => isMarked(child) || child.children.some(holdsMark);
  if (isMarked(node) && (node.attributes?.has("loc") === true || !node.children.some(holdsMark))) return undefined;
  // A manager pushes complete rules and objects. Inside an entry of the device its marks are remains of an earlier push.
  const isOwn = node.name !== undefined && shape.kind === "entry" && !shape.structural && !isMarked(node);
  const inner = isOwn ? { complete, isMarked: isOfTemplate } : marks;
  const children = node.children.map((child) => partOf(child, shape.child(child.tag), inner));
  const kept = children.filter((child) => child !== undefined);
  if (isMarked(node) && kept.length === 0) return undefined;
  if (kept.length === node.children.length && kept.every((child, index) => child === node.children[index])) return node;
  return new TreeNode(node.tag, node.name, node.text, kept, node.attributes);
}

/** Like `isInherited`, but without the mark `loc` of a manager. */
function isOfTemplate(node: TreeNode): boolean {
  const { attributes } = node;
  const isPushed = attributes?.has("loc") === true && !attributes.has("ptpl") && !attributes.has("src");
  return isInherited(node) && !isPushed;
}

/** Removes read-only fields, which no document can declare. */
export function withoutReadOnly(node: TreeNode, shape: Shape): TreeNode {
  let changed = false;
  const children = node.children.flatMap((child) => {
    const inner = shape.child(child.tag);
    const kept = inner.readOnly === true ? undefined : child.children.length === 0 ? child : withoutReadOnly(child, inner);
    changed ||= kept !== child;
    return kept ?? [];
  });
  return changed ? new TreeNode(node.tag, node.name, node.text, children, node.attributes) : node;
}

/** Read-only parts of a live tree. */
export interface ReadOnlyParts {
  readonly paths: readonly Path[];
  /** Number of leaves in them. */
  readonly leaves: number;
}

/** Finds the parts that `withoutReadOnly` removes and that have a value. `path` is the path of `node`. */
export function readOnlyParts(node: TreeNode, shape: Shape, path: Path): ReadOnlyParts {
  const found = node.children.map((child) => {
    const at = pathOf(path, child);
    const inner = shape.child(child.tag);
    if (inner.readOnly !== true) return readOnlyParts(child, inner, at);
    const leaves = leavesOf(child);
    return { paths: leaves === 0 ? [] : [at], leaves };
  });
  return { paths: found.flatMap(({ paths }) => paths), leaves: found.reduce((sum, { leaves }) => sum + leaves, 0) };
}

function leavesOf(node: TreeNode): number {
  if (node.children.length === 0) return node.text === "" && node.name === undefined ? 0 : 1;
  return node.children.reduce((sum, child) => sum + leavesOf(child), 0);
}
