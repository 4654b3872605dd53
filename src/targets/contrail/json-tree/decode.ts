import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import { contentKey, contentKeys } from "../../../core/tree/content-key.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";
import { namingOf } from "./naming.js";

/**
 * Converts a field of an object to a node. Returns undefined for an empty value: absent, null, `[]`, `{}` and empty text mean the same to
 * the controller's clients (docs/contributing/devices/contrail.md#fields-that-the-server-sets). Fields that the shape does not define are omitted.
 */
function decode(tag: string, value: Json | undefined, shape: Shape): TreeNode | undefined {
  if (value === undefined || value === null) return undefined;
  switch (shape.kind) {
    case "leaf":
      return typeof value === "object" || value === "" ? undefined : new TreeNode(tag, undefined, String(value));
    case "members":
      return decodeMembers(tag, value);
    case "list":
      return filled(tag, Array.isArray(value) ? namedItems(tag, value, shape).flatMap(({ entry }) => entry ?? []) : []);
    default:
      return isObject(value) ? filled(tag, decodeFields(value, shape)) : undefined;
  }
}

/** Converts the known fields of a document, in the order of the shape. */
export function decodeFields(document: JsonObject, shape: Shape): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const tag of shape.knownTags) {
    const value = document[tag];
    const node = value === undefined || value === null ? undefined : decode(tag, value, shape.child(tag));
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

export interface NamedItem {
  readonly item: Json;
  /** Undefined for an item without an entry in the tree. */
  readonly entry: TreeNode | undefined;
}

/** Returns the items of a list with their named entries. */
export function namedItems(tag: string, items: readonly Json[], list: Shape): NamedItem[] {
  const naming = namingOf(tag);
  const shape = list.child("entry");
  if (naming === undefined) return keyedByContent(items, list, shape);
  return items.map((item) => {
    const name = isObject(item) ? naming.name(item) : undefined;
    if (!isObject(item) || name === undefined) return { item, entry: undefined };
    return { item, entry: new TreeNode("entry", name, "", decodeFields(naming.content(item), shape)) };
  });
}

function keyedByContent(items: readonly Json[], list: Shape, shape: Shape): NamedItem[] {
  const bare = items.map((item) => (isObject(item) ? new TreeNode("entry", undefined, "", decodeFields(item, shape)) : undefined));
  const keys = contentKeys(
    bare.flatMap((entry) => entry ?? []),
    list,
  );
  let next = 0;
  return items.map((item, index) => {
    const entry = bare[index];
    if (entry === undefined) return { item, entry };
    return { item, entry: new TreeNode("entry", keys[next++] ?? contentKey(entry, list), "", entry.children) };
  });
}

function decodeMembers(tag: string, value: Json): TreeNode | undefined {
  if (!Array.isArray(value)) return undefined;
  const seen = new Set<string>();
  const members: TreeNode[] = [];
  for (const each of value) {
    const text = typeof each === "object" ? "" : String(each);
    // The controller keeps duplicates. The tree treats the list as a set.
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    members.push(new TreeNode("member", undefined, text));
  }
  return filled(tag, members);
}

function filled(tag: string, children: readonly TreeNode[]): TreeNode | undefined {
  return children.length === 0 ? undefined : new TreeNode(tag, undefined, "", children);
}
