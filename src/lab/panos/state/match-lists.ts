import type { TreeNode } from "../../../core/tree/node.js";
import type { Chain, ConfigTree, TreeObserver } from "../tree/config-tree.js";
import { last } from "../tree/config-tree.js";
import { arrowsOf, placeOf } from "../tree/place.js";
import { findChild } from "../tree/sibling-index.js";

/** Detects operations that leave a rule's match list (sources, zones, services and so on) empty or remove it: both would mean `any`. */
export class MatchListGuard {
  #touched: { readonly rule: Chain; readonly tag: string }[] = [];
  readonly #tree: ConfigTree;

  constructor(tree: ConfigTree) {
    this.#tree = tree;
    const inner = tree.observer;
    const observer: TreeObserver = {
      added: (parents, node) => inner?.added(parents, node),
      removed: (parents, node) => {
        this.#note(parents, node);
        inner?.removed(parents, node);
      },
    };
    tree.observer = observer;
  }

  begin(): void {
    this.#touched = [];
  }

  /** Describes the match lists that have been emptied or removed since `begin`. */
  problems(): string[] {
    const problems: string[] = [];
    for (const { rule, tag } of this.#touched) {
      const now = this.#current(rule);
      if (now === undefined) continue;
      const list = findChild(last(now).children, tag);
      if (list === undefined) problems.push(`${arrowsOf(now)} -> ${tag} is gone`);
      else if (list.children.length === 0) problems.push(`${arrowsOf(now)} -> ${tag} is empty`);
    }
    return problems;
  }

  #note(parents: Chain, node: TreeNode): void {
    if (node.tag === "member" && placeOf(parents).spot.isMatchList)
      this.#touched.push({ rule: parents.slice(0, -1), tag: last(parents).tag });
    else if (parents.length > 0 && placeOf([...parents, node]).spot.isMatchList) this.#touched.push({ rule: parents, tag: node.tag });
  }

  #current(chain: Chain): Chain | undefined {
    const fresh: TreeNode[] = [this.#tree.root];
    for (const node of chain.slice(1)) {
      const found = findChild(last(fresh).children, node.tag, node.name);
      if (found === undefined) return undefined;
      fresh.push(found);
    }
    return fresh;
  }
}
