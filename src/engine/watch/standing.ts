import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { ApplySession } from "../apply/apply-session.js";
import type { OpenWatch, WrittenRow } from "./open-watch.js";
import { digestOf, predecessor, readsOf, reopened } from "./rows.js";

/** Whether anything of a watched commit is running as we wrote it. */
export async function anyChangeIsRunning({ target }: Pick<ApplySession, "target">, { written }: OpenWatch): Promise<boolean> {
  const running = await target.read(readsOf(reopened(written)), "running");
  return written.some((row) => isAsWritten(row, running, target.shape));
}

function isAsWritten(row: WrittenRow, running: TreeNode, shape: Shape): boolean {
  const at = parsePath(row.at);
  const node = find(running, at);
  if (row.kind === "node") return digestOf(node, at, shape) === row.after;
  if (row.kind === "place") return node !== undefined && predecessor(running, at) === row.behind;
  return node !== undefined;
}
