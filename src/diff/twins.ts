import { isNothing } from "../tree/canonical-children.js";
import { TreeNode } from "../tree/node.js";
import type { Shape } from "../tree/shape.js";

/** A live node without those of several elements of one tag that say nothing: they must not stand for the one that says something. */
export function withoutEmptyTwins(live: TreeNode, shape: Shape): TreeNode {
  if (!live.children.some((child) => isFrame(child))) return live;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { tag, name } of live.children) {
    if (name === undefined && seen.has(tag)) repeated.add(tag);
    seen.add(tag);
  }
  const goes = (child: TreeNode): boolean => isFrame(child) && repeated.has(child.tag) && isNothing(child, shape.child(child.tag));
  if (!live.children.some(goes)) return live;
  const children = live.children.filter((child) => !goes(child));
  return new TreeNode(live.tag, live.name, live.text, children, live.attributes);
}

function isFrame(node: TreeNode): boolean {
  return node.name === undefined && node.text === "";
}
