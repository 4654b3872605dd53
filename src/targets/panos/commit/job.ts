import type { TreeNode } from "../../../tree/node.js";
import { childOf, textLines, textOf } from "../client/reply.js";

/** A job of the device, as far as it tells (facts 2.7). */
export interface Job {
  readonly id: string;
  readonly type: string;
  readonly user: string;
  readonly description: string;
  /** `PEND`, `ACT` or `FIN`; empty where a restarted device has forgotten. */
  readonly status: string;
  /** `OK` or `FAIL` once finished, `PEND` before. */
  readonly result: string;
  readonly percent: number | undefined;
  /** Details first, then warnings. */
  readonly lines: readonly string[];
}

export function readJob(node: TreeNode): Job {
  const text = (tag: string): string => textOf(childOf(node, tag));
  const progress = text("progress");
  return {
    id: text("id"),
    type: text("type"),
    user: text("user"),
    description: text("description"),
    status: text("status"),
    result: text("result"),
    percent: /^\d{1,3}%?$/.test(progress) ? Number.parseInt(progress, 10) : undefined,
    lines: [...linesOf(node, "details"), ...linesOf(node, "warnings").map((line) => (/^warning/i.test(line) ? line : `Warning: ${line}`))],
  };
}

function linesOf(node: TreeNode, tag: string): readonly string[] {
  const child = childOf(node, tag);
  return child === undefined ? [] : textLines(child);
}
