import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";
import { namedItems } from "./decode.js";
import { namingOf } from "./naming.js";

/**
 * Converts a node to the value of a field. `before` is the current value. Content that is not in the tree, or that only the controller
 * writes, is kept, most importantly `subnet_uuid` (docs/contributing/devices/contrail.md#updates).
 */
export function encode(tag: string, node: TreeNode, shape: Shape, before: Json | undefined): Json {
  switch (shape.kind) {
    case "leaf":
      return encodeLeaf(node.text, shape);
    case "members":
      return node.children.map(({ text }) => text);
    case "list":
      return encodeList(tag, node, shape, Array.isArray(before) ? before : []);
    default:
      return encodeFields(node, shape, isObject(before) ? before : {});
  }
}

/** Builds a document from the known fields of `node` and the unknown, read-only or computed fields of `before`. */
export function encodeFields(node: TreeNode, shape: Shape, before: JsonObject): JsonObject {
  const document: JsonObject = { ...before };
  for (const tag of shape.knownTags) {
    const child = childByTag(node, tag);
    const inner = shape.child(tag);
    if (inner.readOnly === true) continue;
    if (child !== undefined) document[tag] = encode(tag, child, inner, before[tag]);
    else if (isEncoded(inner, shape)) document[tag] = encoded(tag, inner, before[tag]);
    else if (inner.computed !== true) leaveOut(document, tag, inner);
  }
  return document;
}

/**
 * Returns true for containers whose presence has a meaning, and for leaves with a default in them. For example, the controller stores a
 * reference to a policy without its sequence, but does not apply it.
 */
function isEncoded(shape: Shape, above: Shape): boolean {
  const counts = ({ kind, emptyIsAbsent }: Shape) => kind === "container" && !emptyIsAbsent;
  return counts(shape) || (counts(above) && shape.default !== undefined);
}

function encoded(tag: string, shape: Shape, before: Json | undefined): Json {
  if (shape.kind === "leaf") return before ?? encodeLeaf(shape.default ?? "", shape);
  return isObject(before) ? before : encode(tag, new TreeNode(tag), shape, undefined);
}

/** Keeps list items that are not in the tree, for example the entry of a flat IPAM. */
function leaveOut(document: JsonObject, tag: string, shape: Shape): void {
  const value = document[tag];
  const hidden =
    shape.kind === "list" && Array.isArray(value) ? namedItems(tag, value, shape).filter(({ entry }) => entry === undefined) : [];
  if (hidden.length === 0) delete document[tag];
  else document[tag] = hidden.map(({ item }) => item);
}

function encodeList(tag: string, list: TreeNode, shape: Shape, before: readonly Json[]): Json[] {
  const naming = namingOf(tag);
  const items = namedItems(tag, before, shape);
  const known = new Map(items.flatMap(({ item, entry }) => (entry?.name === undefined ? [] : [[entry.name, item] as const])));
  const inner = shape.child("entry");
  const encoded = list.children.map((entry): Json => {
    const found = known.get(entry.name ?? "");
    const was = isObject(found) ? found : undefined;
    if (naming === undefined) return encodeFields(entry, inner, was ?? {});
    const content = encodeFields(entry, inner, was === undefined ? {} : naming.content(was));
    return naming.item(entry.name ?? "", content, was);
  });
  return [...encoded, ...items.filter(({ entry }) => entry === undefined).map(({ item }) => item)];
}

/** Large integers become BigInt, so that they stay exact. */
export function encodeLeaf(text: string, { type }: Shape): Json {
  if (type === "boolean") return text === "true";
  if (type !== "integer") return text;
  const exact = BigInt(text);
  return exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}
