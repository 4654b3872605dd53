import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Effects } from "./effects.js";
import type { Phase } from "./model.js";

/** One part of a `set` that can be written by itself: a node with the chain of nodes above it, outermost first. */
export interface Piece {
  readonly above: readonly TreeNode[];
  readonly node: TreeNode;
}

/** Operations that stay together and are put in order as one. */
export interface Atom {
  readonly operations: readonly Operation[];
  readonly phase: Phase;
  /** Indexes into `Diff.changes`. */
  readonly changes: readonly number[];
  readonly effects: Effects;
  /** The fragment it was made from, by index; parts of one fragment that end up side by side are joined again. */
  readonly fragment: number;
  /** Entries that it deletes and makes again. */
  readonly rewrites?: readonly Path[] | undefined;
  /** Set on a part of a fragment. */
  readonly piece?: Piece | undefined;
  /** Once in order: the longest chain of constraints that leads to it. Nothing ties atoms of one layer to each other. */
  readonly layer?: number | undefined;
  /** What others know it by, all parts of it once it is divided. */
  readonly token?: object | undefined;
  /** Tokens of atoms that must come before, for reasons that effects do not show. */
  readonly after?: readonly object[] | undefined;
  /** The writes that it is made of, each of which can also stand alone. */
  readonly parts?: readonly Atom[] | undefined;
  /** What can be taken out of it was taken out. */
  readonly divided?: boolean | undefined;
}

/** The only operation of an atom, or undefined where it has several. */
export function soleOperation(atom: Atom): Operation | undefined {
  return atom.operations.length === 1 ? atom.operations[0] : undefined;
}

/** True for a `set` that may still be written in parts. */
export function isDivisible(atom: Atom | undefined): boolean {
  return atom !== undefined && atom.divided !== true && soleOperation(atom)?.action === "set";
}
