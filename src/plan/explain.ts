import { find } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import { parseXPath, select } from "../core/tree/xpath.js";
import type { DesiredNode, DesiredTarget, Ignore } from "../desired/model.js";
import type { OwnershipRecord } from "./ownership-record.js";

/**
 * Why a node is ours or not:
 * - `declared`: a document says it. - `inside`: nothing says it, and it lies in something that is declared whole (or in an
 *   exclusive list), so that it is extra. - `ledger`: an earlier commit put it there. - `ignored`, `kept`: protected.
 * - `place`: a step on the way to declared things. - `unowned`: nobody's business.
 */
type Ownership = "declared" | "inside" | "ledger" | "ignored" | "kept" | "place" | "unowned";

/** What there is to say of one node of one target. Trees may hold secrets by type; they print as labels. */
export interface Explanation {
  readonly path: Path;
  readonly ownership: Ownership;
  readonly wanted: DesiredNode | undefined;
  readonly candidate: TreeNode | undefined;
  readonly running: TreeNode | undefined;
  /** Position in the source map of what wants the node, or of what owns the place it lies in; -1 for none. */
  readonly origin: number;
  /** The nearest declared ancestor (or the node itself) that decides. */
  readonly decidedBy: Path | undefined;
  /** Where the decision is an exclusive list. */
  readonly exclusive: boolean;
  readonly ignore: Ignore | undefined;
  /** The reference or `$forEach` that made the value. */
  readonly madeBy: string | undefined;
}

export interface ExplainInput {
  readonly path: Path;
  readonly desired: DesiredTarget;
  readonly candidate: TreeNode;
  readonly running: TreeNode | undefined;
  readonly record: OwnershipRecord | undefined;
}

/** Says who wants a node, what is live, and why it is ours or not; pure. */
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

/** Whether an ignore selects the path or something above it. */
function covers(expression: string, path: Path, trees: readonly TreeNode[]): boolean {
  const query = parseXPath(expression);
  return trees.some((tree) => select(tree, query).some((found) => found.path.contains(path)));
}

function findDesired(root: DesiredNode, path: Path): DesiredNode | undefined {
  return find(root, path) as DesiredNode | undefined;
}

/** The deepest desired node on the way to `path`. */
function nearest(root: DesiredNode, path: Path): { node: DesiredNode | undefined; at: Path | undefined } {
  for (let at: Path | undefined = path; at !== undefined && at.depth > 0; at = at.parent) {
    const node = findDesired(root, at);
    if (node !== undefined) return { node, at };
  }
  return { node: undefined, at: undefined };
}
