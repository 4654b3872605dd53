import { equalNodes } from "../../core/tree/equal.js";
import { find, shapeAt } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { secretOf } from "../../core/tree/secret-of.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Unit } from "./changed-nodes.js";

/** Returns the first unit with a different meaning in the two trees, or undefined. */
export function differingUnit(a: TreeNode, b: TreeNode, units: readonly Unit[], shape: Shape): Unit | undefined {
  return units.find((unit) => !sameUnit(find(a, unit.path), find(b, unit.path), unit, shapeAt(unit.path, shape)));
}

/** Like `differingUnit`, but treats all stored secrets as equal: plain text that we wrote is returned encrypted. */
export function differingUnitButSecrets(a: TreeNode, b: TreeNode, units: readonly Unit[], shape: Shape): Unit | undefined {
  return units.find((unit) => !sameUnit(masked(find(a, unit.path)), masked(find(b, unit.path)), unit, shapeAt(unit.path, shape)));
}

function sameUnit(a: TreeNode | undefined, b: TreeNode | undefined, { what }: Unit, shape: Shape): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (what === "node") return equalNodes(a, b, shape);
  return a.children.length === b.children.length && a.children.every((child, i) => child.name === b.children[i]?.name);
}

function masked(node: TreeNode | undefined): TreeNode | undefined {
  if (node === undefined) return undefined;
  if (secretOf(node) !== undefined) return new TreeNode(node.tag, node.name, "secret");
  const children = node.children.map((child) => masked(child) ?? child);
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}
