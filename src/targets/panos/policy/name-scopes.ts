import { childByTag, childEntry } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";

/** A scope whose objects rules may refer to: a virtual system, a device group, or shared. */
export interface NameScope {
  /** The `scope:` value of a document: `vsys1`, `device-group/branch`, `shared`. */
  readonly word: string;
  readonly path: Path;
  readonly node: TreeNode;
}

/** The object that a name refers to. */
export interface Found {
  readonly scope: NameScope;
  /** Tag of the list that contains it, for example `address-group`. */
  readonly list: string;
  readonly node: TreeNode;
  readonly path: Path;
}

/** Name lookup in one rulebase, nearest scope first (docs/contributing/flow-analysis.md#names). */
export class NameScopes {
  readonly scopes: readonly NameScope[];
  readonly #onTwo: ((first: Found, other: NameScope) => void) | undefined;

  /** `onTwo` is called for an object that shadows another one in a farther scope. */
  constructor(scopes: readonly NameScope[], onTwo?: (first: Found, other: NameScope) => void) {
    this.scopes = scopes;
    this.#onTwo = onTwo;
  }

  /** Finds the object with this name in the first scope that has it in one of the lists (for example `profiles/custom-url-category`). */
  find(name: string, lists: readonly string[]): Found | undefined {
    for (const scope of this.scopes) {
      for (const list of lists) {
        const node = childEntry(listAt(scope.node, list) ?? NOTHING, name);
        if (node === undefined) continue;
        const found = foundIn(scope, list, node);
        const other = this.#onTwo === undefined ? undefined : this.#alsoIn(scope, name, lists);
        if (other !== undefined) this.#onTwo?.(found, other);
        return found;
      }
    }
    return undefined;
  }

  #alsoIn(scope: NameScope, name: string, lists: readonly string[]): NameScope | undefined {
    const farther = this.scopes.slice(this.scopes.indexOf(scope) + 1);
    return farther.find(({ node }) => lists.some((list) => childEntry(listAt(node, list) ?? NOTHING, name) !== undefined));
  }

  /** Yields every visible object of a list. Objects in nearer scopes shadow those in farther ones. */
  *all(list: string): Generator<Found> {
    const seen = new Set<string>();
    for (const scope of this.scopes) {
      for (const node of listAt(scope.node, list)?.children ?? []) {
        if (node.name === undefined || seen.has(node.name)) continue;
        seen.add(node.name);
        yield foundIn(scope, list, node);
      }
    }
  }
}

const NOTHING = new TreeNode("nothing");

function foundIn(scope: NameScope, list: string, node: TreeNode): Found {
  const at = list.split("/").reduce((path, tag) => path.child(tag), scope.path);
  return { scope, list, node, path: at.entry(node.name ?? "") };
}

function listAt(node: TreeNode, list: string): TreeNode | undefined {
  let at: TreeNode | undefined = node;
  for (const tag of list.split("/")) at = at === undefined ? undefined : childByTag(at, tag);
  return at;
}

/** Returns the members of a list, in order. Undefined if the list does not exist. */
export function membersOf(node: TreeNode, tag: string): readonly string[] | undefined {
  const list = childByTag(node, tag);
  if (list === undefined) return undefined;
  return list.children.length === 0 && list.text !== "" ? [list.text] : list.children.map(({ text }) => text);
}

/** Returns the members that a rule matches: "any" if the list is empty or contains `any`. */
export function matchedBy(node: TreeNode, tag: string): "any" | readonly string[] {
  const members = membersOf(node, tag);
  return members === undefined || members.length === 0 || members.includes("any") ? "any" : [...new Set(members)];
}
