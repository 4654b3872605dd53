import { DesiredNode } from "../../desired/model.js";

/** Returns the node with each child replaced by the result of `map`; undefined removes the child. */
export function mapChildren(node: DesiredNode, map: (child: DesiredNode) => DesiredNode | undefined): DesiredNode {
  const children = node.children.flatMap((child) => map(child) ?? []);
  const isSame = children.length === node.children.length && children.every((child, index) => child === node.children[index]);
  return isSame ? node : withChildren(node, children);
}

/** Returns the node with other children. */
export function withChildren(of: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(of.tag, of.name, of.text, children, of);
}
