import { createHash } from "node:crypto";
import { canonicalChildren, countingAttributes } from "./canonical-children.js";
import { canonicalScalar } from "./canonical-text.js";
import { equalNodes } from "./equal.js";
import type { TreeNode } from "./node.js";
import { secretOf } from "./secret-of.js";
import type { Shape } from "./shape.js";
import { TEXT_TAG } from "./xml/builder.js";
import { escapeText, escapeValue } from "./xml/escape.js";

export { canonicalScalar } from "./canonical-text.js";
export { METADATA_ATTRIBUTES } from "./metadata.js";
export { equalNodes };

/**
 * One text for all trees that mean the same (DESIGN.md 2): metadata attributes gone, what has no order sorted, absent
 * forms left out as `shape` says. Secrets show their label alone, so that two secrets of one label give one text.
 */
export function canonicalText(node: TreeNode, shape: Shape): string {
  const parts: string[] = [];
  write(node, shape, parts);
  return parts.join("");
}

/** SHA-256 of `canonicalText`, in hexadecimal. */
export function canonicalDigest(node: TreeNode, shape: Shape): string {
  return createHash("sha256").update(canonicalText(node, shape)).digest("hex");
}

/** Nodes of a subtree, its root included. */
export function sizeOf(node: TreeNode): number {
  let size = 1;
  for (const child of node.children) size += sizeOf(child);
  return size;
}

function write(node: TreeNode, shape: Shape, parts: string[]): void {
  if (node.tag === TEXT_TAG) {
    parts.push(escapeText(node.text));
    return;
  }
  let start = `<${node.tag}`;
  if (node.name !== undefined) start += ` name="${escapeValue(node.name)}"`;
  for (const [key, value] of countingAttributes(node)) start += ` ${key}="${escapeValue(value)}"`;
  const children = node.children.length === 0 ? node.children : canonicalChildren(node, shape);
  if (children.length > 0) {
    parts.push(start, ">");
    for (const child of children) write(child, shape.child(child.tag), parts);
    parts.push(`</${node.tag}>`);
    return;
  }
  const text = secretOf(node)?.label ?? canonicalScalar(node.text, shape.equality);
  parts.push(text === "" ? `${start}/>` : `${start}>${escapeText(text)}</${node.tag}>`);
}
