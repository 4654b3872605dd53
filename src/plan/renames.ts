import { find } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { holdsSecret } from "./diff/inherited.js";
import { EffectFinder } from "./effect-finder.js";
import type { Fragment } from "./fragment.js";
import type { Definition, Scopes } from "./namespace.js";
import { survey } from "./reference-index.js";

export interface Rename {
  /** Path under the old name. */
  readonly at: Path;
  readonly newName: string;
}

/** Returns the tree with renamed entries. With `copy`, the old entry stays and a copy is appended. Shares all other nodes. */
export function withRenames(root: TreeNode, renames: readonly Rename[], copy: boolean): TreeNode {
  if (renames.length === 0) return root;
  const byList = new Map<string, { list: Path; names: Map<string, string> }>();
  for (const { at, newName } of renames) {
    if (at.parent === undefined || at.name === undefined) continue;
    const key = at.parent.toString();
    const group = byList.get(key) ?? { list: at.parent, names: new Map<string, string>() };
    byList.set(key, group);
    group.names.set(at.name, newName);
  }
  const replaced = new Map<TreeNode, TreeNode>();
  for (const { list, names } of byList.values()) {
    const node = find(root, list);
    if (node !== undefined) replaced.set(node, withChildren(node, renamedChildren(node, names, copy)));
    replaceAbove(root, list, replaced);
  }
  return rebuild(root, replaced);
}

function renamedChildren(list: TreeNode, names: ReadonlyMap<string, string>, copy: boolean): TreeNode[] {
  const copies: TreeNode[] = [];
  const children = list.children.map((child) => {
    const newName = child.name === undefined ? undefined : names.get(child.name);
    if (newName === undefined) return child;
    const renamed = withName(child, newName);
    if (!copy) return renamed;
    copies.push(renamed);
    return child;
  });
  return [...children, ...copies];
}

/** Marks the ancestors of a changed list as changed. */
function replaceAbove(root: TreeNode, list: Path, replaced: Map<TreeNode, TreeNode>): void {
  for (let at = list.parent; at !== undefined; at = at.parent) {
    const node = find(root, at);
    if (node === undefined || replaced.has(node)) return;
    replaced.set(node, node);
  }
}

function rebuild(node: TreeNode, replaced: ReadonlyMap<TreeNode, TreeNode>): TreeNode {
  const made = replaced.get(node);
  if (made === undefined) return node;
  return made === node
    ? withChildren(
        node,
        node.children.map((child) => rebuild(child, replaced)),
      )
    : made;
}

function withChildren(node: TreeNode, children: readonly TreeNode[]): TreeNode {
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

/** Returns the entry under another name, without the attributes of the old one. */
export function withName(entry: TreeNode, name: string): TreeNode {
  return new TreeNode(entry.tag, name, entry.text, entry.children);
}

export interface Renames {
  /** Performed by the platform. */
  readonly inPlace: Rename[];
  readonly fragments: Fragment[];
  /** Objects that the platform renames, under their old names. */
  readonly renamed: Definition[];
  /** Objects in use: copied to the new name, references changed, old object deleted. */
  readonly copied: (Rename & { readonly changes: readonly number[] })[];
}

/**
 * Decides how to rename. Unless references are known to follow, an object in use is copied instead. Exception: an object with a secret,
 * which only the platform can copy.
 */
export function splitRenames(
  fragments: readonly Fragment[],
  live: TreeNode,
  shape: Shape,
  scopes: Scopes,
  keepsReferences: boolean,
): Renames {
  const renames = fragments.filter((fragment) => fragment.operation.action === "rename");
  const result: Renames = { inPlace: [], fragments: [], renamed: [], copied: [] };
  if (renames.length === 0) return result;
  const finder = new EffectFinder(live, shape, scopes);
  const { references } = survey(live, shape, scopes, new Set(renames.map(({ operation }) => operation.at.name ?? "")));
  const inUse = new Set(references.map((reference) => reference.value));
  for (const fragment of renames) {
    const { operation } = fragment;
    if (operation.action !== "rename") continue;
    const node = find(live, operation.at);
    const definitions = finder.of([operation]).removes;
    const rename = { at: operation.at, newName: operation.newName };
    if (!keepsReferences && definitions.length > 0 && inUse.has(operation.at.name ?? "") && node !== undefined && !holdsSecret(node)) {
      result.copied.push({ ...rename, changes: fragment.changes });
    } else {
      result.inPlace.push(rename);
      result.fragments.push(fragment);
      result.renamed.push(...definitions);
    }
  }
  return result;
}
