import { applyOperation } from "../../core/apply-operation.js";
import type { Operation } from "../../core/operation.js";
import { cloneTree, setAttributes, UndoLog } from "../../core/tree/edit/edit-tree.js";
import { equalNodes } from "../../core/tree/equal.js";
import { find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { checkReferences } from "./references.js";

/** An uncommitted operation and its administrator. */
export interface Pending {
  readonly administrator: string;
  readonly operation: Operation;
}

export interface ConfigurationsOptions {
  readonly shape: Shape;
  readonly checkReferences: boolean;
  /** Clock of the target, format `yyyy/mm/dd hh:mm:ss`. */
  readonly clock: () => string;
}

/** A candidate, a running tree, and the operations between them. */
export class Configurations {
  candidate: TreeNode;
  running: TreeNode;
  pending: Pending[] = [];
  readonly #options: ConfigurationsOptions;

  constructor(tree: TreeNode, options: ConfigurationsOptions) {
    this.candidate = cloneTree(tree);
    this.running = cloneTree(tree);
    this.#options = options;
  }

  /** Applies `batch` to the candidate. If `atomic`, a failed operation reverts those before it. */
  write(batch: readonly Operation[], administrator: string, atomic: boolean): void {
    const log = new UndoLog();
    const done: Pending[] = [];
    for (const operation of batch) {
      const mark = log.mark;
      try {
        this.#perform(this.candidate, operation, administrator, log);
        if (this.#options.checkReferences) checkReferences(this.candidate, this.#options.shape);
      } catch (error) {
        log.rollback(atomic ? 0 : mark);
        if (!atomic) this.pending.push(...done);
        throw error;
      }
      done.push({ administrator, operation });
    }
    this.pending.push(...done);
  }

  #perform(root: TreeNode, operation: Operation, administrator: string, log: UndoLog): void {
    applyOperation(root, operation, log);
    const written = writtenPath(operation);
    const node = written === undefined ? undefined : find(root, written);
    if (node === undefined) return;
    setAttributes(node, new Map([...(node.attributes ?? []), ["admin", administrator], ["time", this.#options.clock()]]), log);
  }

  /** Makes the candidate the running configuration, or only one administrator's operations. Throws as `write` does. */
  commit(administrator: string | undefined): void {
    const base = administrator === undefined ? this.candidate : this.#replayed((owner) => owner === administrator);
    checkReferencesWhere(this.#options, base);
    this.running = cloneTree(base);
    const others = administrator === undefined ? [] : this.pending.filter((pending) => pending.administrator !== administrator);
    this.pending = others.flatMap(({ operation, administrator: by }) =>
      this.#remaining(operation).map((each) => ({ administrator: by, operation: each })),
    );
  }

  /** Returns the operation, or the parts of a `set` that were not overwritten since. */
  #remaining(operation: Operation): Operation[] {
    if (this.#isPresent(operation)) return [operation];
    if (operation.action !== "set") return [];
    const at = pathOf(operation.at, operation.element);
    return operation.element.children.flatMap((element) => this.#remaining({ action: "set", at, element }));
  }

  /** An overwritten operation cannot be committed anymore: running never gets values that the candidate does not have. */
  #isPresent(operation: Operation): boolean {
    const tree = cloneTree(this.candidate);
    try {
      applyOperation(tree, operation, new UndoLog());
    } catch {
      // The operation no longer applies, because its node was moved, renamed or deleted. Whether it still has an effect is decided at the
      // commit.
      return true;
    }
    return equalNodes(tree, this.candidate, this.#options.shape);
  }

  /** Removes one administrator's operations from the candidate. */
  revert(administrator: string): void {
    this.candidate = this.#replayed((owner) => owner !== administrator);
    this.pending = this.pending.filter((pending) => pending.administrator !== administrator);
  }

  /** Applies the pending operations of some administrators to the running configuration. */
  #replayed(of: (administrator: string) => boolean): TreeNode {
    const tree = cloneTree(this.running);
    for (const { administrator, operation } of this.pending) {
      // Another administrator may also have deleted it and committed that.
      const isDeleted = operation.action === "delete" && operation.at.text === undefined && find(tree, operation.at) === undefined;
      if (of(administrator) && !isDeleted) this.#repeat(tree, operation, administrator);
    }
    return tree;
  }

  /** A node that another administrator already wrote with the same content keeps that author. */
  #repeat(tree: TreeNode, operation: Operation, administrator: string): void {
    const written = writtenPath(operation);
    const at = (): TreeNode | undefined => (written === undefined ? undefined : find(tree, written));
    const present = at();
    const before = present === undefined ? undefined : cloneTree(present);
    this.#perform(tree, operation, administrator, new UndoLog());
    const after = at();
    if (before === undefined || after === undefined || !equalNodes(before, after, this.#options.shape)) return;
    setAttributes(after, before.attributes ?? new Map(), new UndoLog());
  }
}

function checkReferencesWhere({ checkReferences: isOn, shape }: ConfigurationsOptions, tree: TreeNode): void {
  if (isOn) checkReferences(tree, shape);
}

/** Returns the path of the node that records the author. */
function writtenPath(operation: Operation): Path | undefined {
  const { at } = operation;
  switch (operation.action) {
    case "set":
      return pathOf(at, operation.element);
    case "edit":
      return at.text === undefined ? at : at.parent?.member(operation.element.text, at.tag);
    case "rename":
      return at.parent?.entry(operation.newName, at.tag);
    case "delete":
      return at.parent;
    default:
      return at;
  }
}
