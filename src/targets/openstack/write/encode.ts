import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { secretOf } from "../../../core/tree/secret-of.js";
import type { Shape } from "../../../core/tree/shape.js";
import type { Body } from "../../openstack-client/client/request.js";

export type Members = { readonly [key: string]: Body | undefined };

/** Converts a node to JSON with the type in the shape. An absent node becomes the service's empty value. */
export function jsonOf(node: TreeNode | undefined, shape: Shape): Body {
  switch (shape.kind) {
    case "members":
      return node?.children.map(({ text }) => text) ?? [];
    case "list":
      return node?.children.map((entry) => membersOf(entry, shape.child("entry"))) ?? [];
    default: {
      const text = node === undefined || (node.text === "" && secretOf(node) === undefined) ? shape.default : node.text;
      if (text === undefined) return null;
      return (node === undefined ? undefined : secretOf(node)) ?? scalarOf(text, shape.type);
    }
  }
}

/** Converts the children of an entry to members. Omits children in `skip` and children that are never sent. */
export function membersOf(entry: TreeNode, shape: Shape, skip: ReadonlySet<string> = NOTHING): Members {
  const members: Record<string, Body | undefined> = {};
  for (const child of entry.children) {
    const childShape = shape.child(child.tag);
    if (!skip.has(child.tag) && isSent(childShape)) members[child.tag] = jsonOf(child, childShape);
  }
  return members;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Whether the member can be sent under its own name. */
export function isSent(shape: Shape): boolean {
  return shape.readOnly !== true && shape.mark !== true && shape.createOnly !== true && shape.kind !== "unknown";
}

export function textOf(entry: TreeNode | undefined, tag: string): string | undefined {
  const text = entry === undefined ? undefined : childByTag(entry, tag)?.text;
  return text === "" ? undefined : text;
}

export function textsOf(entry: TreeNode | undefined, tag: string): string[] {
  return (entry === undefined ? undefined : childByTag(entry, tag))?.children.map(({ text }) => text) ?? [];
}

export function rowsOf(entry: TreeNode | undefined, tag: string): readonly TreeNode[] {
  return (entry === undefined ? undefined : childByTag(entry, tag))?.children ?? [];
}

function scalarOf(text: string, type: string | undefined): Body {
  switch (type) {
    case "boolean":
      return text === "true";
    case "integer":
    case "port":
    case "4|6":
      return Number(text);
    case "address-or-null":
      return text === "null" ? null : text;
    default:
      return text;
  }
}
