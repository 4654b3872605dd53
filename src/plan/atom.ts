import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Effects } from "./effects.js";
import type { Phase } from "./model.js";

/** A part of a `set` that can be written separately: a node with its ancestors, outermost first. */
export interface Piece {
  readonly above: readonly TreeNode[];
  readonly node: TreeNode;
}

/** Operations that stay together when writes are ordered. */
export interface Atom {
  readonly operations: readonly Operation[];
  readonly phase: Phase;
  /** Indexes into `Diff.changes`. */
  readonly changes: readonly number[];
  readonly effects: Effects;
  /** Index of the fragment. Adjacent parts of one fragment are joined again. */
  readonly fragment: number;
  /** Entries that it deletes and recreates. */
  readonly rewrites?: readonly Path[] | undefined;
  /** Set for a part of a fragment. */
  readonly piece?: Piece | undefined;
  /** Set after ordering: length of the longest chain of constraints that leads to it. Atoms of one layer do not depend on each other. */
  readonly layer?: number | undefined;
  /** Identifies the atom for `after`. After a division, all its parts have the same token. */
  readonly token?: object | undefined;
  /** Tokens of atoms that must come before, for reasons that effects do not show. */
  readonly after?: readonly object[] | undefined;
  /** The merged writes. Each can also be written separately. */
  readonly parts?: readonly Atom[] | undefined;
  /** Already split into independent parts. */
  readonly divided?: boolean | undefined;
}

/** Returns the only operation of an atom, or undefined if it has several. */
export function soleOperation(atom: Atom): Operation | undefined {
  return atom.operations.length === 1 ? atom.operations[0] : undefined;
}

/** Returns whether the atom is a `set` that can still be divided. */
export function isDivisible(atom: Atom | undefined): boolean {
  return atom !== undefined && atom.divided !== true && soleOperation(atom)?.action === "set";
}
