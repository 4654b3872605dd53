import type { Operation } from "../../core/operation.js";
import { childAt } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Fragment } from "../fragment.js";
import type { PartKind } from "./content.js";
import type { Difference } from "./difference.js";
import { modeInside, type Weighed } from "./weigh.js";

/** Returns the cheapest writes: for each node its sets and edits, then its deletes. */
export function emitFragments(root: Weighed, changes: readonly { readonly path: Path }[]): Fragment[] {
  const emitter = new Emitter(changes);
  emitter.renames(root.node);
  emitter.emit(root);
  return emitter.fragments;
}

/** An open `set` while its content is collected. */
interface Filling {
  readonly changes: number[];
  /** Written separately after it. */
  readonly others: Weighed[];
  readonly slices: { readonly node: Difference; readonly element: TreeNode }[];
  createsOnly: boolean;
}

class Emitter {
  readonly fragments: Fragment[] = [];
  readonly #changes: readonly { readonly path: Path }[];

  constructor(changes: readonly { readonly path: Path }[]) {
    this.#changes = changes;
  }

  renames(node: Difference): void {
    const { path, renamed } = node;
    if (renamed !== undefined && path.parent !== undefined) {
      const at = path.parent.entry(renamed.from, path.tag);
      this.#add({ action: "rename", at, newName: path.name ?? "" }, "rename", at, [renamed.change]);
    }
    for (const child of node.children) this.renames(child);
  }

  emit(weighed: Weighed): void {
    const { node, how } = weighed;
    switch (how.way) {
      case "parts":
        this.#emitAll(weighed.children);
        break;
      case "delete":
        this.#add({ action: "delete", at: node.path }, node.inEntry ? "update" : "delete", unitOf(node), node.changes);
        break;
      case "edit":
        this.#add({ action: "edit", at: node.path, element: how.element }, "update", unitOf(node), changesBelow(node));
        break;
      case "sets":
        for (const element of how.elements) this.#set(node, element, how.elements.length === 1);
        break;
      case "merge":
        this.#merge(weighed, how.mode);
    }
  }

  #emitAll(parts: readonly Weighed[]): void {
    for (const part of parts) if (part.how.way !== "delete") this.emit(part);
    for (const part of parts) if (part.how.way === "delete") this.emit(part);
  }

  #merge(weighed: Weighed, mode: PartKind): void {
    const { node } = weighed;
    const filling: Filling = { changes: [], others: [], slices: [], createsOnly: true };
    const element = this.#fill(weighed, mode, filling);
    this.#add({ action: "set", at: parentOf(node), element }, filling.createsOnly ? "create" : "update", unitOf(node), filling.changes);
    for (const slice of filling.slices) this.#set(slice.node, slice.element, false);
    this.#emitAll(filling.others);
  }

  #fill(weighed: Weighed, mode: PartKind, filling: Filling): TreeNode {
    const { path } = weighed.node;
    const elements: TreeNode[] = [];
    for (const child of weighed.children) {
      const inside = modeInside(weighed, child, mode);
      const carries = child.open[inside]?.carries;
      if (carries === undefined) filling.others.push(child);
      else if (carries === "frame") elements.push(this.#fill(child, inside, filling));
      else {
        const { node } = child;
        elements.push(carries.element);
        filling.slices.push(...carries.rest.map((element) => ({ node, element })));
        filling.changes.push(...(carries.rest.length === 0 ? node.changes : this.#changesIn(node, carries.element)));
        if (node.deed.kind !== "make" || node.inEntry) filling.createsOnly = false;
      }
    }
    return new TreeNode(path.tag, path.name, "", elements);
  }

  #set(node: Difference, element: TreeNode, isComplete: boolean): void {
    const kind = node.deed.kind === "make" && !node.inEntry ? "create" : "update";
    const changes = isComplete ? node.changes : this.#changesIn(node, element);
    this.#add({ action: "set", at: parentOf(node), element }, kind, unitOf(node), changes);
  }

  /** Returns the changes that one of several elements for `node` settles. */
  #changesIn(node: Difference, element: TreeNode): number[] {
    return node.changes.filter((index) => {
      const below = (this.#changes[index]?.path.steps() ?? []).slice(node.path.depth);
      let at: TreeNode | undefined = element;
      for (const step of below) at = at === undefined ? undefined : childAt(at, step);
      return at !== undefined;
    });
  }

  #add(operation: Operation, kind: Fragment["kind"], unit: Path, changes: readonly number[]): void {
    this.fragments.push({ operation, kind, unit, changes: [...new Set(changes)].sort((a, b) => a - b) });
  }
}

function unitOf(node: Difference): Path {
  return node.unit ?? node.path;
}

function parentOf(node: Difference): Path {
  return node.path.parent ?? node.path;
}

/** Returns all changes that an edit of the node settles, including its order. Renames come before it. */
function changesBelow(node: Difference): number[] {
  const below = node.children.flatMap(changesBelow);
  return [...node.changes, ...(node.order === undefined ? [] : [node.order]), ...below];
}
