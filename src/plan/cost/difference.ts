import { PlumblineError } from "../../core/errors.js";
import { childAt } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change } from "../diff/change.js";
import { holdsSecret, isInherited } from "../diff/inherited.js";
import { compareMembers, isReplaced } from "../diff/members.js";
import { isDefiningList } from "./content.js";
import type { CostInput } from "./input.js";
import { canRecreate, payloadOf } from "./payload.js";

/** The change to a node itself. `frame`: only its descendants change. */
type Deed =
  | { readonly kind: "frame" }
  | { readonly kind: "make"; readonly element: TreeNode }
  | { readonly kind: "delete" }
  | { readonly kind: "leaf"; readonly element: TreeNode };

/** A node on the path to a change, with its counterparts. Only these nodes are weighed. */
export interface Difference {
  readonly path: Path;
  readonly shape: Shape;
  /** Shape of the parent. */
  readonly above: Shape;
  readonly desired: DesiredNode | undefined;
  readonly live: TreeNode | undefined;
  readonly children: Difference[];
  /** The node is inside an entry of a defining list: all differences here belong to that list. */
  readonly inUnit: boolean;
  /** The node is inside a live entry that is neither structural nor a scope. */
  readonly inEntry: boolean;
  /** The innermost entry of a defining list at or above the node. */
  readonly unit: Path | undefined;
  /** `$override` is set here or above: inherited parts may be overwritten. */
  readonly isOverridden: boolean;
  /** The node or an ancestor is inherited and must not be overwritten. */
  readonly isInherited: boolean;
  deed: Deed;
  /** Indexes of the changes that `deed` settles. */
  readonly changes: number[];
  /** Index of an `order` change of this list, settled by moves or by an edit. */
  order: number | undefined;
  /** Index of a `renamed` change of this entry. Renames are settled first. */
  renamed: { readonly change: number; readonly from: string } | undefined;
}

/** Returns the changed nodes and their ancestors as a tree. Linear in the changes. */
export function differenceTree(input: CostInput): Difference {
  const tree = new Tree(input);
  for (const index of input.diff.changes.keys()) tree.add(index);
  return collapse(tree.root);
}

class Tree {
  readonly root: Difference;
  readonly #input: CostInput;
  readonly #known = new Map<Path, Difference>();
  readonly #byKey = new Map<Difference, Map<string, Difference>>();

  constructor(input: CostInput) {
    this.#input = input;
    const { desired, live, shape } = input;
    this.root = make(Path.root.child(desired.tag), shape, shape, desired, live, undefined);
  }

  add(index: number): void {
    const change = this.#input.diff.changes[index];
    if (change === undefined) return;
    const node = this.#at(change.path, change.kind === "renamed" ? change.from : undefined);
    if (change.kind === "order") node.order = index;
    else if (change.kind === "renamed") this.#rename(node, change, index);
    else if (change.kind === "unmanaged") return;
    else {
      node.changes.push(index);
      if (change.kind === "extra") node.deed = { kind: "delete" };
      else if (change.kind === "missing") node.deed = makeDeed(change.after);
      else if (isReplaced(change, node.shape)) node.deed = { kind: "leaf", element: change.after };
      else if (isMemberList(change.after, change.before, node.shape)) this.#addMembers(node, change.after, change.before, index);
      else node.deed = { kind: "leaf", element: change.after };
    }
  }

  #rename(node: Difference, { path, from, after }: Extract<Change, { kind: "renamed" }>, index: number): void {
    if (this.#renames(node)) {
      node.renamed = { change: index, from };
      return;
    }
    const former = (path.parent ?? Path.root).entry(from, path.tag);
    refuseToRecreate(after, this.#at(former).live, path);
    this.#at(former).deed = { kind: "delete" };
    this.#at(former).changes.push(index);
    node.deed = makeDeed(after);
    node.changes.push(index);
  }

  #renames({ above }: Pick<Difference, "above">): boolean {
    return this.#input.rename && above.fixedNames !== true;
  }

  #addMembers(list: Difference, desired: DesiredNode, live: TreeNode, index: number): void {
    const { missing, extra, reordered } = compareMembers(desired, live, list.shape);
    for (const wanted of missing) this.#member(list, wanted.text, wanted, undefined, index).deed = { kind: "make", element: wanted };
    for (const { node } of extra) this.#member(list, node.text, undefined, node, index).deed = { kind: "delete" };
    if (reordered || (list.shape.ordered && missing.length > 0 && !isAppendOnly(desired, live, extra.length))) list.order = index;
  }

  #member(list: Difference, text: string, desired: DesiredNode | undefined, live: TreeNode | undefined, index: number): Difference {
    const member = make(list.path.member(text), list.shape.child("member"), list.shape, desired, live, list);
    member.changes.push(index);
    list.children.push(member);
    return member;
  }

  #at(path: Path, from?: string): Difference {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (path.parent === undefined || path.depth === 1) return this.root;
    const parent = this.#at(path.parent);
    const siblings = this.#byKey.get(parent) ?? new Map<string, Difference>();
    this.#byKey.set(parent, siblings);
    const key = path.name === undefined ? `${path.tag}=${path.text ?? ""}` : `${path.tag}@${path.name}`;
    const node = siblings.get(key) ?? this.#make(parent, path, from);
    siblings.set(key, node);
    this.#known.set(path, node);
    return node;
  }

  #make(parent: Difference, path: Path, from: string | undefined): Difference {
    const desired = parent.desired === undefined ? undefined : childAt(parent.desired, path);
    const former = from === undefined ? path : (path.parent ?? Path.root).entry(from, path.tag);
    const isRecreated = from !== undefined && !this.#renames({ above: parent.shape });
    const live = parent.live === undefined || isRecreated ? undefined : childAt(parent.live, former);
    const node = make(path, parent.shape.child(path.tag), parent.shape, desired, live, parent);
    parent.children.push(node);
    return node;
  }
}

function make(
  path: Path,
  shape: Shape,
  above: Shape,
  desired: DesiredNode | undefined,
  live: TreeNode | undefined,
  parent: Difference | undefined,
): Difference {
  const isEntry = path.name !== undefined;
  const isOverridden = parent?.isOverridden === true || desired?.handling?.override === true;
  return {
    path,
    shape,
    above,
    desired,
    live,
    children: [],
    inUnit: parent !== undefined && (parent.inUnit || (isEntry && isDefiningList(parent.shape))),
    inEntry: parent !== undefined && (parent.inEntry || isPlainEntry(parent)),
    unit: isEntry && above.defines !== undefined ? path : parent?.unit,
    isOverridden,
    isInherited: !isOverridden && (parent?.isInherited === true || (live !== undefined && isInherited(live))),
    deed: { kind: "frame" },
    changes: [],
    order: undefined,
    renamed: undefined,
  };
}

function isPlainEntry({ path, shape, live }: Difference): boolean {
  return path.name !== undefined && live !== undefined && !shape.scope && !shape.structural;
}

function refuseToRecreate(after: DesiredNode, live: TreeNode | undefined, path: Path): void {
  if (canRecreate(after) && (live === undefined || !holdsSecret(live))) return;
  throw new PlumblineError(
    "rename-impossible",
    `${path} cannot be renamed or recreated here: it contains parts that only the target knows.`,
    {
      where: { xpath: path.toString() },
      next: "Rename it on the target manually, or write its secrets as references.",
      severity: "refused",
    },
  );
}

function makeDeed(after: DesiredNode): Deed {
  const element = payloadOf(after);
  return element === undefined ? { kind: "frame" } : { kind: "make", element };
}

function isMemberList(desired: DesiredNode, live: TreeNode, shape: Shape): boolean {
  return shape.kind === "members" || (desired.children[0] ?? live.children[0])?.tag === "member";
}

/** Returns whether appending the missing members to the remaining ones gives the desired sequence. */
function isAppendOnly(desired: DesiredNode, live: TreeNode, extras: number): boolean {
  const stay = live.children.length - extras;
  const texts = new Set(live.children.map((child) => child.text));
  return desired.children.every((child, index) => texts.has(child.text) === index < stay);
}

/** Merges creations: one deed at the highest node without a live counterpart creates everything in it. */
function collapse(node: Difference): Difference {
  for (const child of node.children) collapse(child);
  if (node.live !== undefined || node.children.length === 0) return node;
  if (node.deed.kind === "frame") {
    const elements = node.children.flatMap(({ deed }) => (deed.kind === "make" ? [deed.element] : []));
    if (elements.length > 0) node.deed = { kind: "make", element: new TreeNode(node.path.tag, node.path.name, "", elements) };
  }
  for (const child of node.children) node.changes.push(...child.changes);
  node.children.length = 0;
  return node;
}
