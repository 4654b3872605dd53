import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";

/** Node with its path. `above` leads to the root. */
export interface Located {
  readonly node: TreeNode;
  readonly path: Path;
  readonly above: Located | undefined;
}

/** Part of the live tree that one document declares. It is a separate tree with new ancestors around the live nodes. */
export class DocumentDraft {
  /** Relative to the output folder. */
  readonly file: string;
  readonly place: Path;
  readonly root: TreeNode;
  readonly #shells = new Map<TreeNode, TreeNode>();

  constructor(file: string, place: Path) {
    this.file = file;
    this.place = place;
    this.root = new TreeNode(place.tag, place.name, "", []);
  }

  /** Adds a live node below the place, with all its descendants. */
  add(located: Located): void {
    const { above } = located;
    if (above !== undefined) (this.#shell(above).children as TreeNode[]).push(located.node);
  }

  /** Adds a node without its descendants: a frame that no other part declares. */
  addBare({ node, path, above }: Located): void {
    this.add({ node: new TreeNode(node.tag, node.name, "", []), path, above });
  }

  #shell(located: Located): TreeNode {
    if (located.path.depth === this.place.depth) return this.root;
    const { node, above } = located;
    let shell = this.#shells.get(node);
    if (shell === undefined) {
      shell = new TreeNode(node.tag, node.name, "", []);
      this.#shells.set(node, shell);
      if (above !== undefined) (this.#shell(above).children as TreeNode[]).push(shell);
    }
    return shell;
  }
}
