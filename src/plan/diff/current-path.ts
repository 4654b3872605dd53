import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import { isInherited } from "./inherited.js";

/** The nodes from the root down to the current node of a comparison. Paths are created on demand and shared by siblings. */
export class CurrentPath {
  readonly #desired: DesiredNode[] = [];
  readonly #live: (TreeNode | undefined)[] = [];
  readonly #paths: Path[] = [];

  enter(depth: number, desired: DesiredNode, live: TreeNode | undefined): void {
    this.#desired[depth] = desired;
    this.#live[depth] = live;
  }

  path(depth: number): Path {
    const node = this.#desired[depth];
    if (node === undefined) return Path.root;
    const parent = depth === 0 ? Path.root : this.path(depth - 1);
    const known = this.#paths[depth];
    if (known !== undefined && known.parent === parent && known.tag === node.tag && known.name === node.name) return known;
    const path = node.name === undefined ? parent.child(node.tag) : parent.entry(node.name, node.tag);
    this.#paths[depth] = path;
    return path;
  }

  desiredAt(depth: number): DesiredNode | undefined {
    return this.#desired[depth];
  }

  liveAt(depth: number): TreeNode | undefined {
    return this.#live[depth];
  }

  /** Returns whether the node at `depth` or an ancestor is inherited, without `$override`. */
  isInherited(depth: number): boolean {
    return !this.#isOverridden(depth) && this.#some(depth, isInherited);
  }

  /** Like `isInherited`, but checks entries only: Plumbline manages new nodes in an inherited container. */
  isInInheritedEntry(depth: number): boolean {
    return !this.#isOverridden(depth) && this.#some(depth, (node) => node.name !== undefined && isInherited(node));
  }

  #some(depth: number, test: (node: TreeNode) => boolean): boolean {
    for (let at = 0; at <= depth; at += 1) {
      const node = this.#live[at];
      if (node !== undefined && test(node)) return true;
    }
    return false;
  }

  #isOverridden(depth: number): boolean {
    for (let at = 0; at <= depth; at += 1) if (this.#desired[at]?.handling?.override === true) return true;
    return false;
  }
}
