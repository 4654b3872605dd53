import { canonicalScalar } from "./canonical-text.js";
import { METADATA_ATTRIBUTES } from "./metadata.js";
import type { TreeNode } from "./node.js";
import { secretOf } from "./secret-of.js";
import type { Shape } from "./shape.js";
import { TEXT_TAG } from "./xml/builder.js";
import { isBlank } from "./xml/scanner.js";

/** How the children of a node are compared: in order, by name and tag in any order, or as a set of texts. */
export type Arrangement = "sequence" | "keyed" | "set";

/** Returns the arrangement from the shape. If the shape is unknown or does not fit the children, the children decide. */
export function arrangementOf(children: readonly TreeNode[], shape: Shape): Arrangement {
  if (children.some((child) => child.tag === TEXT_TAG && !isBlank(child.text))) return "sequence";
  const fits =
    shape.kind === "members" ? children.every(isMember) : shape.kind === "list" && children.every((child) => child.tag === "entry");
  if (fits) return shape.ordered ? "sequence" : shape.kind === "members" ? "set" : "keyed";
  return children.length > 0 && children.every(isMember) ? "set" : "keyed";
}

function isMember(node: TreeNode): boolean {
  return node.tag === "member" && node.name === undefined && node.children.length === 0;
}

/**
 * Returns the relevant children in canonical order. Omits blank text, empty elements that equal absent ones, and leaves with the default
 * value. Sorts entries by name, other elements by tag, and members by text without duplicates. Siblings with the same key keep their order.
 */
export function canonicalChildren(node: TreeNode, shape: Shape): readonly TreeNode[] {
  const counting = countingChildren(node, shape);
  const arrangement = arrangementOf(counting, shape);
  if (arrangement === "sequence" || counting.length < 2) return counting;
  if (arrangement === "keyed") return isSorted(counting) ? counting : counting.toSorted(compareKeys);
  return membersOnce(counting, shape.child("member"));
}

/** Most siblings share a tag, so its shape is looked up once for each sequence of equal tags. */
function countingChildren(node: TreeNode, shape: Shape): readonly TreeNode[] {
  let tag: string | undefined;
  let below = shape;
  for (const child of node.children) {
    if (child.tag !== tag) {
      tag = child.tag;
      below = shape.child(tag);
    }
    if (isNothing(child, below)) return node.children.filter((each) => !isNothing(each, shape.child(each.tag)));
  }
  return node.children;
}

function membersOnce(members: readonly TreeNode[], shape: Shape): TreeNode[] {
  const byText = new Map<string, TreeNode>();
  for (const member of members) byText.set(canonicalScalar(member.text, shape.equality), member);
  return [...byText.keys()].sort(compare).map((text) => byText.get(text) as TreeNode);
}

function isSorted(nodes: readonly TreeNode[]): boolean {
  return nodes.every((node, index) => index === 0 || compareKeys(nodes[index - 1] as TreeNode, node) <= 0);
}

function compareKeys(a: TreeNode, b: TreeNode): number {
  return compare(a.tag, b.tag) || Number(a.name !== undefined) - Number(b.name !== undefined) || compare(a.name ?? "", b.name ?? "");
}

/** Compares by code unit, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns true for a child that equals an absent one. */
export function isNothing(node: TreeNode, shape: Shape): boolean {
  if (node.tag === TEXT_TAG) return isBlank(node.text);
  if (shape.readOnly === true) return true;
  if (!shape.emptyIsAbsent && (node.children.length > 0 || shape.default === undefined)) return false;
  if (secretOf(node) !== undefined || countingAttributes(node).length > 0) return false;
  if (node.children.length === 0) {
    const text = canonicalScalar(node.text, shape.equality);
    if (shape.default !== undefined && text === canonicalScalar(shape.default, shape.equality)) return true;
    return text === "" && shape.emptyIsAbsent;
  }
  return shape.emptyIsAbsent && node.children.every((child) => isNothing(child, shape.child(child.tag)));
}

/** Returns the attributes that are part of the configuration, sorted by name. */
export function countingAttributes(node: TreeNode): readonly (readonly [string, string])[] {
  if (node.attributes === undefined) return [];
  const counting = [...node.attributes].filter(([key]) => !METADATA_ATTRIBUTES.has(key));
  return counting.length < 2 ? counting : counting.sort(([a], [b]) => compare(a, b));
}
