import { contentKeys } from "../core/tree/content-key.js";
import { childAt, pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Scopes } from "./namespace.js";
import type { Rename } from "./renames.js";
import { survey } from "./survey.js";

/**
 * The live tree with every reference to an object that the plan renames (`$was`) written with the new name: on a platform where
 * references follow (`Capabilities.renameKeepsReferences`), that is what it will show without our doing. The objects
 * themselves keep their names: the comparison finds them by `$was`. Shares all that does not change.
 */
export function followRenames(live: TreeNode, desired: DesiredNode, shape: Shape, scopes: Scopes): TreeNode {
  return withReferencesTo(renamesOf(desired, live, shape, Path.root.child(desired.tag)), live, shape, scopes);
}

/** The tree with every reference to objects that were renamed, or will be, written with their new names. */
export function withReferencesTo(renames: readonly Rename[], live: TreeNode, shape: Shape, scopes: Scopes): TreeNode {
  if (renames.length === 0) return live;
  const texts = new Map(renames.flatMap(({ at, newName }) => textsOf(live, at, newName)));
  const { references } = survey(live, shape, scopes, new Set(texts.keys()));
  const followed = new Map(references.flatMap(({ path, value }) => pairOf(path.toString(), texts.get(value))));
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

/** How others name an object: by its name, or after the name of the entry around it (`NETWORK/SUBNET`); each with the new form. */
function textsOf(live: TreeNode, at: Path, newName: string): (readonly [from: string, to: string])[] {
  const name = at.name ?? "";
  const around = at.parent?.parent?.name;
  const own = [[name, newName] as const, ...(around === undefined ? [] : [[`${around}/${name}`, `${around}/${newName}`] as const])];
  return [...own, ...namesBelow(live, at).map((inner) => [`${name}/${inner}`, `${newName}/${inner}`] as const)];
}

/** Names of the objects in an object: they are called after it. */
function namesBelow(live: TreeNode, at: Path): string[] {
  const node = at
    .steps()
    .slice(1)
    .reduce<TreeNode | undefined>((found, step) => (found === undefined ? undefined : childAt(found, step)), live);
  return (node?.children ?? []).flatMap(({ children }) => children.flatMap(({ name }) => name ?? []));
}

function pairOf(path: string, text: string | undefined): (readonly [string, string])[] {
  return text === undefined ? [] : [[path, text]];
}

/** Writes texts anew by their paths; entries whose key is made of what they say get it anew. */
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
