import { find } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import { parseXPath, select } from "../core/tree/xpath/xpath.js";
import type { DesiredNode, DesiredTarget, Ignore } from "../desired/model.js";
import type { OwnershipRecord } from "./ownership-record.js";

/**
 * Why a node is managed or not:
 * - `declared`: a document declares it.
 * - `inside`: undeclared, in a completely declared object or in an exclusive list, so extra.
 * - `ledger`: an earlier commit created it.
 * - `ignored`, `kept`: protected.
 * - `place`: a step on the way to declared nodes.
 * - `unowned`: not managed.
 */
type Ownership = "declared" | "inside" | "ledger" | "ignored" | "kept" | "place" | "unowned";

/** The facts about one node of one target. Trees may contain secrets, which print as labels. */
export interface Explanation {
  readonly path: Path;
  readonly ownership: Ownership;
  readonly wanted: DesiredNode | undefined;
  readonly candidate: TreeNode | undefined;
  readonly running: TreeNode | undefined;
  /** Position in the source map of the node's declaration, or of the declaration around it, or -1. */
  readonly origin: number;
  /** The nearest declared ancestor, or the node itself, that decides. */
  readonly decidedBy: Path | undefined;
  /** True if an exclusive list decides. */
  readonly exclusive: boolean;
  readonly ignore: Ignore | undefined;
  /** The reference or `$forEach` that produced the value. */
  readonly madeBy: string | undefined;
}

export interface ExplainInput {
  readonly path: Path;
  readonly desired: DesiredTarget;
  readonly candidate: TreeNode;
  readonly running: TreeNode | undefined;
  readonly record: OwnershipRecord | undefined;
}

/** Explains which document declares a node, its live state, and why the node is managed or not. Pure. */
export function explain(input: ExplainInput): Explanation {
  const { path, desired, candidate, running } = input;
  const ignore = desired.ignores.find(({ path: expression }) => covers(expression, path, [candidate, desired.root]));
  const wanted = findDesired(desired.root, path);
  const { node, at } = nearest(desired.root, path);
  const owner = wanted ?? node;
  const exclusive = wanted === undefined && at !== undefined && desired.exclusive.some((list) => list.equals(at));
  return {
    path,
    ownership: ignore !== undefined ? "ignored" : ownershipOf(input, wanted, node),
    wanted,
    candidate: find(candidate, path),
    running: running === undefined ? undefined : find(running, path),
    origin: ignore?.origin ?? (wanted?.declared === false ? -1 : (owner?.origin ?? -1)),
    decidedBy: at,
    exclusive,
    ignore,
    madeBy: wanted?.handling?.madeBy,
  };
}

function ownershipOf({ path, record }: ExplainInput, wanted: DesiredNode | undefined, nearby: DesiredNode | undefined): Ownership {
  if (wanted?.handling?.keep === true) return "kept";
  if (wanted !== undefined) return wanted.declared ? "declared" : "place";
  if (nearby?.prunes === true) return "inside";
  const rows = new Set(record?.paths);
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (rows.has(at.toString())) return "ledger";
  return "unowned";
}

/** Returns whether an ignore selects the path or a node above it. */
export function covers(expression: string, path: Path, trees: readonly TreeNode[]): boolean {
  const query = parseXPath(expression);
  return trees.some((tree) => select(tree, query).some((found) => found.path.contains(path)));
}

function findDesired(root: DesiredNode, path: Path): DesiredNode | undefined {
  return find(root, path) as DesiredNode | undefined;
}

/** Returns the deepest desired node on the way to `path`. */
function nearest(root: DesiredNode, path: Path): { node: DesiredNode | undefined; at: Path | undefined } {
  for (let at: Path | undefined = path; at !== undefined && at.depth > 0; at = at.parent) {
    const node = findDesired(root, at);
    if (node !== undefined) return { node, at };
  }
  return { node: undefined, at: undefined };
}
