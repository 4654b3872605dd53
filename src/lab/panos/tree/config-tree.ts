import { TreeNode } from "../../../core/tree/node.js";
import { noteAdded, noteRemoved } from "./sibling-index.js";

/** A node with all its ancestors: the root element first, the node last. */
export type Chain = readonly TreeNode[];

/** Told of every subtree that comes or goes; `parents` is the chain of its parent. */
export interface TreeObserver {
  added(parents: Chain, node: TreeNode): void;
  removed(parents: Chain, node: TreeNode): void;
}

/**
 * A configuration that shares its nodes with other trees and copies only what it changes: `freeze` costs nothing,
 * and the first edit after it copies the nodes on the way down to its place. A failed `transaction` leaves no trace.
 */
export class ConfigTree {
  observer: TreeObserver | undefined;
  #root: TreeNode;
  #owned = new WeakSet<TreeNode>();
  /** What was copied, to its copy: chains made before an edit still lead to their places. */
  readonly #copies = new WeakMap<TreeNode, TreeNode>();
  #undo: (() => void)[] | undefined;

  constructor(root: TreeNode) {
    this.#root = root;
  }

  get root(): TreeNode {
    return this.#root;
  }

  /** The tree as it is now; later edits leave it alone. */
  freeze(): TreeNode {
    this.#owned = new WeakSet();
    return this.#root;
  }

  /** Runs `work`; when it throws, everything that it edited is put back. */
  transaction<Result>(work: () => Result): Result {
    if (this.#undo !== undefined) return work();
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      return work();
    } catch (error) {
      this.#undo = undefined;
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** Takes another tree in place of this one. */
  replaceRoot(root: TreeNode): void {
    const before = this.#root;
    const owned = this.#owned;
    this.observer?.removed([], before);
    this.#root = root;
    this.#owned = new WeakSet();
    this.observer?.added([], root);
    this.#record(() => {
      this.observer?.removed([], root);
      this.#root = before;
      this.#owned = owned;
      this.observer?.added([], before);
    });
  }

  /** Puts `node` among the children of the last of `parents`, last or at `position`; returns its chain. */
  insert(parents: Chain, node: TreeNode, position?: number): TreeNode[] {
    const own = this.own(parents);
    const parent = last(own);
    const at = position ?? parent.children.length;
    this.#link(own, node, at);
    this.#record(() => this.#unlink(own, node));
    return [...own, node];
  }

  /** Takes the last of `chain` out of its parent; returns the parent's chain. */
  remove(chain: Chain): TreeNode[] {
    const own = this.own(chain.slice(0, -1));
    const node = last(chain);
    const at = this.#unlink(own, node);
    this.#record(() => this.#link(own, node, at));
    return own;
  }

  /** Puts `node` in the place of the last of `chain`. */
  replace(chain: Chain, node: TreeNode): TreeNode[] {
    const own = this.own(chain.slice(0, -1));
    const before = last(chain);
    const at = this.#unlink(own, before);
    this.#link(own, node, at);
    this.#record(() => {
      this.#unlink(own, node);
      this.#link(own, before, at);
    });
    return [...own, node];
  }

  /** Moves the last of `chain` to `position` among its siblings (counted without itself). */
  reorder(chain: Chain, position: number): void {
    const own = this.own(chain.slice(0, -1));
    const siblings = childrenOf(last(own));
    const node = last(chain);
    const from = siblings.indexOf(node);
    siblings.splice(from, 1);
    siblings.splice(position, 0, node);
    this.#record(() => {
      siblings.splice(siblings.indexOf(node), 1);
      siblings.splice(from, 0, node);
    });
  }

  /** Sets attributes of the last of `chain`, other than its name; returns its chain. */
  setAttributes(chain: Chain, attributes: ReadonlyMap<string, string>): TreeNode[] {
    const own = this.own(chain);
    const node = last(own);
    const before = node.attributes;
    node.attributes = attributes;
    this.#record(() => {
      node.attributes = before;
    });
    return own;
  }

  /** The same chain made of nodes that belong to this tree alone. */
  own(chain: Chain): TreeNode[] {
    const own: TreeNode[] = [];
    for (const node of chain) {
      const parent = own.at(-1);
      own.push(this.#owned.has(node) ? node : (this.#copied(parent, node) ?? this.#copy(parent, node)));
    }
    return own;
  }

  #copied(parent: TreeNode | undefined, node: TreeNode): TreeNode | undefined {
    const copy = this.#copies.get(node);
    if (copy === undefined || !this.#owned.has(copy)) return undefined;
    // A copy that a failed transaction put back again stands nowhere.
    return (parent === undefined ? this.#root === copy : parent.children.includes(copy)) ? copy : undefined;
  }

  #copy(parent: TreeNode | undefined, node: TreeNode): TreeNode {
    const copy = new TreeNode(node.tag, node.name, node.text, node.children.slice(), node.attributes);
    this.#owned.add(copy);
    this.#copies.set(node, copy);
    this.#swap(parent, node, copy);
    this.#record(() => this.#swap(parent, copy, node));
    return copy;
  }

  #swap(parent: TreeNode | undefined, from: TreeNode, to: TreeNode): void {
    if (parent === undefined) {
      this.#root = to;
      return;
    }
    const siblings = childrenOf(parent);
    const at = siblings.indexOf(from);
    if (at < 0) throw new Error(`the chain of <${from.tag}> is out of date`);
    noteRemoved(siblings, from);
    siblings[at] = to;
    noteAdded(siblings, to);
  }

  #link(parents: Chain, node: TreeNode, position: number): void {
    const siblings = childrenOf(last(parents));
    if (position >= siblings.length) siblings.push(node);
    else siblings.splice(position, 0, node);
    noteAdded(siblings, node);
    this.observer?.added(parents, node);
  }

  #unlink(parents: Chain, node: TreeNode): number {
    const siblings = childrenOf(last(parents));
    const at = siblings.indexOf(node);
    if (at < 0) throw new Error(`the chain of <${node.tag}> is out of date`);
    siblings.splice(at, 1);
    noteRemoved(siblings, node);
    this.observer?.removed(parents, node);
    return at;
  }

  #record(undo: () => void): void {
    this.#undo?.push(undo);
  }
}

/** The node that a chain leads to. */
export function last(chain: Chain): TreeNode {
  return chain[chain.length - 1] as TreeNode;
}

function childrenOf(parent: TreeNode): TreeNode[] {
  return parent.children as TreeNode[];
}
