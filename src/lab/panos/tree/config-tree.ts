import { TreeNode } from "../../../core/tree/node.js";
import { noteAdded, noteRemoved } from "./sibling-index.js";

/** A node with all its ancestors: the root element is first, the node is last. */
export type Chain = readonly TreeNode[];

/** Receives every subtree that is added or removed. `parents` is the chain of its parent. */
export interface TreeObserver {
  added(parents: Chain, node: TreeNode): void;
  removed(parents: Chain, node: TreeNode): void;
}

/**
 * A configuration tree that shares nodes with other trees and copies only nodes that it changes. `freeze` does not copy; the first edit
 * after it copies the nodes on the path to the changed node. A failed `transaction` does not change the tree.
 */
export class ConfigTree {
  observer: TreeObserver | undefined;
  #root: TreeNode;
  #owned = new WeakSet<TreeNode>();
  /** Maps copied nodes to their copies, so that chains from before an edit stay usable. */
  readonly #copies = new WeakMap<TreeNode, TreeNode>();
  #undo: (() => void)[] | undefined;

  constructor(root: TreeNode) {
    this.#root = root;
  }

  get root(): TreeNode {
    return this.#root;
  }

  /** Returns the current tree. Later edits do not change it. */
  freeze(): TreeNode {
    this.#owned = new WeakSet();
    return this.#root;
  }

  /** Runs `work`. If it throws, all its edits are undone. */
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

  /** Replaces the complete tree. */
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

  /** Inserts `node` below the last node of `parents`, at `position` or at the end. Returns its chain. */
  insert(parents: Chain, node: TreeNode, position?: number): TreeNode[] {
    const own = this.own(parents);
    const parent = last(own);
    const at = position ?? parent.children.length;
    this.#link(own, node, at);
    this.#record(() => this.#unlink(own, node));
    return [...own, node];
  }

  /** Removes the last node of `chain` from its parent. Returns the parent's chain. */
  remove(chain: Chain): TreeNode[] {
    const own = this.own(chain.slice(0, -1));
    const node = last(chain);
    const at = this.#unlink(own, node);
    this.#record(() => this.#link(own, node, at));
    return own;
  }

  /** Replaces the last node of `chain` by `node`. */
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

  /** Moves the last node of `chain` to `position` among its siblings, counted without the node itself. */
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

  /** Sets the attributes of the last node of `chain`, except its name. Returns its chain. */
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

  /** Returns the chain with nodes that only this tree owns. Copies shared nodes. */
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
    // After a failed transaction, a copy may no longer be in the tree.
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

/** Returns the last node of a chain. */
export function last(chain: Chain): TreeNode {
  return chain[chain.length - 1] as TreeNode;
}

function childrenOf(parent: TreeNode): TreeNode[] {
  return parent.children as TreeNode[];
}
