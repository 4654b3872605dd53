import { firstByName, firstByTag, firstByText } from "./child-index.js";
import type { TreeNode } from "./node.js";
import type { Path } from "./path.js";
import type { Shape } from "./shape.js";

/** Returns the first child with this tag. */
export function childByTag<Node extends TreeNode>(node: Node, tag: string): Node | undefined {
  return firstByTag(node.children, tag) as Node | undefined;
}

/** Returns the first child with this name, in constant time after the first lookup in a list. */
export function childEntry<Node extends TreeNode>(node: Node, name: string, tag = "entry"): Node | undefined {
  return firstByName(node.children, tag, name) as Node | undefined;
}

/** Returns the first leaf child with this text. */
export function childMember<Node extends TreeNode>(node: Node, text: string, tag = "member"): Node | undefined {
  return firstByText(node.children, tag, text) as Node | undefined;
}

/** Returns the child that the last step of `step` names. */
export function childAt<Node extends TreeNode>(node: Node, step: Path): Node | undefined {
  if (step.name !== undefined) return childEntry(node, step.name, step.tag);
  if (step.text !== undefined) return childMember(node, step.text, step.tag);
  return childByTag(node, step.tag);
}

/**
 * Returns the node at `path`, or undefined. `root` is the root element, the first step of a path (`/config`). The path `/` is the document
 * and not a node.
 */
export function find<Node extends TreeNode>(root: Node, path: Path): Node | undefined {
  const { parent } = path;
  if (parent === undefined) return undefined;
  if (parent.parent === undefined) return isStep(root, path) ? root : undefined;
  const above = find(root, parent);
  return above === undefined ? undefined : childAt(above, path);
}

function isStep(node: TreeNode, step: Path): boolean {
  if (node.tag !== step.tag) return false;
  if (step.name !== undefined) return node.name === step.name;
  return step.text === undefined || node.text === step.text;
}

/** Returns the path of `node`, a child of the node at `parent`: an entry by its name, a member by its text. */
export function pathOf(parent: Path, node: TreeNode): Path {
  if (node.name !== undefined) return parent.entry(node.name, node.tag);
  return node.tag === "member" && node.children.length === 0 ? parent.member(node.text) : parent.child(node.tag);
}

/**
 * Returns the shape at a path.
 * @param root Shape of the root element.
 */
export function shapeAt(path: Path, root: Shape): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag, step.name), root);
}
