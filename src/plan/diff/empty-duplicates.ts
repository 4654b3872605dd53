import { isNothing } from "../../core/tree/canonical-children.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";

/**
 * Returns a live node without empty elements whose tag occurs more than once: an empty element must not be paired in place of a filled one.
 */
export function withoutEmptyDuplicates(live: TreeNode, shape: Shape): TreeNode {
  if (!live.children.some((child) => isFrame(child))) return live;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const child of live.children) {
    const key = keyOf(child);
    if (seen.has(key)) repeated.add(key);
    seen.add(key);
  }
  const isDropped = (child: TreeNode): boolean => isFrame(child) && repeated.has(keyOf(child)) && isNothing(child, shape.child(child.tag));
  if (!live.children.some(isDropped)) return live;
  const children = live.children.filter((child) => !isDropped(child));
  return new TreeNode(live.tag, live.name, live.text, children, live.attributes);
}

function isFrame(node: TreeNode): boolean {
  return node.tag !== "entry" && node.text === "";
}

function keyOf({ tag, name }: TreeNode): string {
  return name === undefined ? tag : `${tag}\u0000${name}`;
}
