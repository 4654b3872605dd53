import { childByTag, childEntry } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";

/** A place whose objects rules may name: a virtual system, a device group, what all share. */
export interface NameScope {
  /** As `scope:` of a document has it: `vsys1`, `device-group/branch`, `shared`. */
  readonly word: string;
  readonly path: Path;
  readonly node: TreeNode;
}

/** An object that a name leads to. */
export interface Found {
  readonly scope: NameScope;
  /** Tag of the list that it stands in: `address-group`. */
  readonly list: string;
  readonly node: TreeNode;
  readonly path: Path;
}

/** Where names of one rulebase are looked up, the nearest place first (docs/contributing/flow-analysis.md#names). */
export class NameScopes {
  readonly scopes: readonly NameScope[];
  readonly #onTwo: ((first: Found, other: NameScope) => void) | undefined;

  /** `onTwo`: told of an object whose name stands for another one farther away. */
  constructor(scopes: readonly NameScope[], onTwo?: (first: Found, other: NameScope) => void) {
    this.scopes = scopes;
    this.#onTwo = onTwo;
  }

  /** The object of a name in the first place where one of these lists (`profiles/custom-url-category`) has it. */
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

  /** Every object of a list that can be seen: of two of one name the nearer one. */
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

/** Texts of a list of members, in order; undefined where there is no such list. */
export function membersOf(node: TreeNode, tag: string): readonly string[] | undefined {
  const list = childByTag(node, tag);
  if (list === undefined) return undefined;
  return list.children.length === 0 && list.text !== "" ? [list.text] : list.children.map(({ text }) => text);
}

/** Members of a list by which a rule matches: "any" where it has none, or says so. */
export function matchedBy(node: TreeNode, tag: string): "any" | readonly string[] {
  const members = membersOf(node, tag);
  return members === undefined || members.length === 0 || members.includes("any") ? "any" : [...new Set(members)];
}
