import { contentKeys } from "../core/tree/content-key.js";
import { childAt, find, pathOf, shapeAt } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Scopes } from "./namespace.js";
import { survey } from "./reference-index.js";
import type { Rename } from "./renames.js";

/**
 * Returns the live tree with new names in all references to objects that the plan renames (`$was`). A platform that keeps references
 * (`Capabilities.renameKeepsReferences`) changes them itself. The objects keep their old names, because the comparison finds them by
 * `$was`. Shares all unchanged nodes.
 */
export function followRenames(live: TreeNode, desired: DesiredNode, shape: Shape, scopes: Scopes): TreeNode {
  return withReferencesTo(renamesOf(desired, live, shape, Path.root.child(desired.tag)), live, shape, scopes);
}

/** Returns the tree with new names in all references to renamed objects. */
export function withReferencesTo(renames: readonly Rename[], live: TreeNode, shape: Shape, scopes: Scopes): TreeNode {
  if (renames.length === 0) return live;
  const names = renames.flatMap((rename) => namesOf(rename, live, shape));
  const { references } = survey(live, shape, scopes, new Set(names.map(({ from }) => from)));
  const newNames = new Map(names.map(({ kind, from, to }) => [`${kind} ${from}`, to]));
  const followed = new Map(
    references.flatMap(({ path, value, kinds }) => {
      const to = kinds.map((kind) => newNames.get(`${kind} ${value}`)).find((name) => name !== undefined);
      return to === undefined ? [] : [[path.toString(), to] as const];
    }),
  );
  return followed.size === 0 ? live : new Follower(followed).node(live, shape, Path.root.child(live.tag));
}

function renamesOf(desired: DesiredNode, live: TreeNode, shape: Shape, path: Path): Rename[] {
  return desired.children.flatMap((child) => {
    const was = child.handling?.was;
    const at = child.name === undefined ? path.child(child.tag) : path.entry(child.name, child.tag);
    const old = was === undefined ? undefined : path.entry(was, child.tag);
    const isRenamed = old !== undefined && childAt(live, at) === undefined && shape.fixedNames !== true;
    const there = childAt(live, isRenamed ? old : at);
    if (there === undefined) return [];
    const below = renamesOf(child, there, shape.child(child.tag), isRenamed ? old : at);
    return isRenamed && child.name !== undefined ? [{ at: old, newName: child.name }, ...below] : below;
  });
}

/** A name in references to an object of one kind. Objects of other kinds may have the same name. */
interface Renamed {
  readonly kind: string | undefined;
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the names of an object in references: its own, or the name after that of the entry around it (`NETWORK/SUBNET`). Includes the
 * names of objects in it.
 */
function namesOf({ at, newName }: Rename, live: TreeNode, shape: Shape): Renamed[] {
  const name = at.name ?? "";
  const around = at.parent?.parent?.name;
  const kind = shapeAt(at.parent ?? at, shape).defines;
  const after = around === undefined ? [] : [{ kind, from: `${around}/${name}`, to: `${around}/${newName}` }];
  const below = (find(live, at)?.children ?? []).flatMap((list) =>
    list.children.map((inner) => ({
      kind: shapeAt(at, shape).child(list.tag).defines,
      from: `${name}/${inner.name ?? ""}`,
      to: `${newName}/${inner.name ?? ""}`,
    })),
  );
  return [{ kind, from: name, to: newName }, ...after, ...below];
}

/** Replaces texts by path. Entries with keys from their content get new keys. */
class Follower {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  node(node: TreeNode, shape: Shape, path: Path): TreeNode {
    const text = this.#texts.get(path.toString());
    if (node.children.length === 0) return text === undefined ? node : new TreeNode(node.tag, node.name, text, [], node.attributes);
    const children = node.children.map((child) => this.node(child, shape.child(child.tag), pathOf(path, child)));
    const isSame = children.every((child, index) => child === node.children[index]);
    const name = text !== undefined && node.name !== undefined ? text : node.name;
    if (isSame && name === node.name) return node;
    return new TreeNode(node.tag, name, node.text, shape.key === undefined ? children : keyed(children, shape), node.attributes);
  }
}

function keyed(entries: readonly TreeNode[], list: Shape): TreeNode[] {
  const keys = contentKeys(entries, list);
  return entries.map((entry, index) => new TreeNode(entry.tag, keys[index], entry.text, entry.children, entry.attributes));
}
