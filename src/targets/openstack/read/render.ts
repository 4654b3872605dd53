import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import { contentKeys } from "../../../core/tree/content-key.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";

/** Children of an entry that differ from the member with their name. An undefined child is omitted. */
export type Special = Readonly<Record<string, TreeNode | undefined>>;

/** Builds the children of an entry in the order of the shape: all known members, then the other special ones. */
export function childrenOf(object: JsonObject, entry: Shape, special: Special = {}): TreeNode[] {
  const children: TreeNode[] = [];
  for (const tag of entry.knownTags) {
    const child = tag in special ? special[tag] : member(tag, object[tag], entry.child(tag));
    if (child !== undefined) children.push(child);
  }
  for (const [tag, child] of Object.entries(special)) {
    // Only if the shape allows any child.
    const isOfAny = !entry.knownTags.includes(tag) && entry.child(tag).kind !== "unknown";
    if (child !== undefined && isOfAny) children.push(child);
  }
  return children;
}

/**
 * Marks a node as created by the service. The diff accepts it if it is declared, never reports it as extra, and deletes it only with its
 * object.
 */
export const MADE_BY_SERVICE: ReadonlyMap<string, string> = new Map([["src", "object"]]);

/** Whether the service created the entry. */
export function isMadeByService({ attributes }: TreeNode): boolean {
  return attributes?.get("src") === MADE_BY_SERVICE.get("src");
}

export function leaf(tag: string, text: string | undefined): TreeNode | undefined {
  return text === undefined || text === "" ? undefined : new TreeNode(tag, undefined, text);
}

export function members(tag: string, texts: readonly string[]): TreeNode | undefined {
  if (texts.length === 0) return undefined;
  const held = [...new Set(texts)].map((text) => new TreeNode("member", undefined, text));
  return new TreeNode(tag, undefined, "", held);
}

/** Builds a list whose entries are named by their content. */
export function keyless(
  tag: string,
  rows: readonly (readonly (TreeNode | undefined)[])[],
  shape: Shape,
  attributes: readonly (ReadonlyMap<string, string> | undefined)[] = [],
): TreeNode | undefined {
  if (rows.length === 0) return undefined;
  const nameless = rows.map((row) => {
    const children = row.filter((child) => child !== undefined);
    return new TreeNode("entry", undefined, "", children);
  });
  const keys = contentKeys(nameless, shape);
  const entries = nameless.map(({ children }, index) => new TreeNode("entry", keys[index], "", children, attributes[index]));
  return new TreeNode(tag, undefined, "", entries);
}

/** Returns the text of a scalar. Undefined for null, empty text and other values. */
export function scalar(value: Json | undefined): string | undefined {
  if (value === null || value === undefined || typeof value === "object") return undefined;
  const text = String(value);
  return text === "" ? undefined : text;
}

function member(tag: string, value: Json | undefined, shape: Shape): TreeNode | undefined {
  switch (shape.kind) {
    case "leaf":
      return leaf(tag, value === null && shape.type === "address-or-null" ? "null" : scalar(value));
    case "members":
      return members(tag, Array.isArray(value) ? value.flatMap((each) => scalar(each) ?? []) : []);
    case "list": {
      const rows = Array.isArray(value) ? value.filter(isObject) : [];
      const entry = shape.child("entry");
      return keyless(
        tag,
        rows.map((row) => childrenOf(row, entry)),
        shape,
      );
    }
    default:
      return undefined;
  }
}
