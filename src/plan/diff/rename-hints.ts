import type { TreeNode } from "../../core/tree/node.js";
import { SecretLeaf } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Change } from "./change.js";
import type { Results } from "./results.js";

interface Sides {
  readonly made: Extract<Change, { kind: "missing" }>[];
  readonly removed: Extract<Change, { kind: "extra" }>[];
}

/**
 * Flags each new entry that has the same content as a deleted entry of the same list: a rename keeps references that a deletion loses.
 * Entries without content, such as the addresses of an interface, are all alike, so they are not flagged.
 */
export function hintAtRenames(results: Results): void {
  for (const { made, removed } of sidesByList(results.changes).values()) {
    if (made.length === 0 || removed.length === 0) continue;
    const byContent = new Map<string, string>();
    for (const change of removed)
      if (holdsContent(change.before) && !holdsSecret(change.before)) byContent.set(signature(change.before), change.path.name ?? "");
    for (const { path, after } of made) {
      const content = signature(after);
      const former = byContent.get(content);
      if (former === undefined) continue;
      byContent.delete(content);
      const message = `"${path.name}" has the content of "${former}", which is deleted: if this is a rename, write $was: ${former}.`;
      results.find("looks-like-rename", path, message, after.origin, false);
    }
  }
}

function sidesByList(changes: readonly Change[]): Map<string, Sides> {
  const lists = new Map<string, Sides>();
  const texts = new Map<Path, string>();
  for (const change of changes) {
    if ((change.kind !== "missing" && change.kind !== "extra") || change.path.name === undefined) continue;
    const list = change.path.parent;
    if (list === undefined) continue;
    const key = texts.get(list) ?? list.toString();
    texts.set(list, key);
    const sides = lists.get(key) ?? { made: [], removed: [] };
    lists.set(key, sides);
    if (change.kind === "missing") sides.made.push(change);
    else sides.removed.push(change);
  }
  return lists;
}

/** Returns whether an element has a text or an entry below it. Entries with only empty elements are all alike. */
function holdsContent(node: TreeNode): boolean {
  return node.children.some((child) => child.text !== "" || child.name !== undefined || holdsContent(child));
}

function holdsSecret(node: TreeNode): boolean {
  return node instanceof SecretLeaf || node.children.some(holdsSecret);
}

/** Text that equals that of other nodes with equal content. Ignores the order of children and the node's own name. */
function signature(node: TreeNode): string {
  if (node.children.length === 0) return JSON.stringify(node.text);
  const parts = node.children.map((child) => `${JSON.stringify([child.tag, child.name ?? null])}${signature(child)}`);
  return `{${parts.sort().join(",")}}`;
}
