import { TreeNode } from "../../src/core/tree/node.js";
import type { Shape } from "../../src/core/tree/shape.js";
import type { DesiredNode } from "../../src/desired/model.js";

/**
 * The live state merged with the desired state that it owns: the expected result of a plan, written from
 * docs/desired-state.md#what-a-declaration-owns without regard to cost.
 */
export function merged(desired: DesiredNode, live: TreeNode, shape: Shape): TreeNode {
  const { handling } = desired;
  if (handling?.ignored === true || handling?.keep === true || inherited(live)) return live;
  if (desired.children.length === 0 && live.children.length === 0) {
    return new TreeNode(live.tag, live.name, desired.declared ? desired.text : live.text, [], live.attributes);
  }
  const children: TreeNode[] = [];
  for (const child of live.children) {
    const wanted = desired.children.find((node) => sameKey(node, child));
    if (wanted !== undefined) children.push(merged(wanted, child, shape.child(child.tag)));
    else children.push(...kept(desired, child, shape));
  }
  for (const child of desired.children) {
    if (!live.children.some((node) => sameKey(node, child))) children.push(...created(child));
  }
  return new TreeNode(live.tag, live.name, "", children, live.attributes);
}

export function inherited(node: TreeNode): boolean {
  return node.attributes?.has("ptpl") === true || node.attributes?.has("loc") === true;
}

/** The remaining part of a live node that is not declared. */
function kept(parent: DesiredNode, node: TreeNode, shape: Shape): TreeNode[] {
  if (!isExtra(parent, node, shape)) return [node];
  return inheritedParts(node);
}

export function isExtra(parent: DesiredNode, node: TreeNode, shape: Shape): boolean {
  if (parent.prunes || parent.handling?.exclude?.includes(node.text) === true) return true;
  const { choice } = shape.child(node.tag);
  return (
    choice !== undefined &&
    parent.children.some((child) => child.handling?.ignored !== true && child.declared && shape.child(child.tag).choice === choice)
  );
}

function inheritedParts(node: TreeNode): TreeNode[] {
  if (inherited(node)) return [node];
  const parts = node.children.flatMap(inheritedParts);
  return parts.length === 0 ? [] : [new TreeNode(node.tag, node.name, node.text, parts, node.attributes)];
}

export function created(node: DesiredNode): TreeNode[] {
  if (node.handling?.ignored === true || node.handling?.keep === true || !node.declared) return [];
  const children = node.children.flatMap((child) => created(child));
  const isFrameOfNothing =
    children.length === 0 && node.name === undefined && (node.children.length > 0 || node.handling?.exclude !== undefined);
  return isFrameOfNothing ? [] : [new TreeNode(node.tag, node.name, node.text, children)];
}

export function sameKey(a: TreeNode, b: TreeNode): boolean {
  return a.tag === b.tag && a.name === b.name && (a.tag !== "member" || a.text === b.text);
}
