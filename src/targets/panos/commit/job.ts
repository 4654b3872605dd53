import type { TreeNode } from "../../../core/tree/node.js";
import { childOf, textLines, textOf } from "../client/reply.js";

/** A job of the device (docs/contributing/devices/panos.md#commits-and-jobs). */
export interface Job {
  readonly id: string;
  readonly type: string;
  readonly user: string;
  readonly description: string;
  /** `PEND`, `ACT` or `FIN`. Empty if the device has restarted and lost it. */
  readonly status: string;
  /** `OK` or `FAIL` once finished, `PEND` before. */
  readonly result: string;
  readonly percent: number | undefined;
  /** Format `yyyy/mm/dd hh:mm:ss`, if the device reports it. */
  readonly enqueued: string | undefined;
  /** Format `yyyy/mm/dd hh:mm:ss`, for a finished job, if the device reports it. */
  readonly finished: string | undefined;
  /** Seconds from enqueueing to the end, if both times are known. */
  readonly seconds: number | undefined;
  /** Details first, then warnings. */
  readonly lines: readonly string[];
}

export function readJob(node: TreeNode): Job {
  const text = (tag: string): string => textOf(childOf(node, tag));
  const progress = text("progress");
  const finished = finishedAt(text("tenq"), text("tfin"));
  return {
    id: text("id"),
    type: text("type"),
    user: text("user"),
    description: text("description"),
    status: text("status"),
    result: text("result"),
    percent: /^\d{1,3}%?$/.test(progress) ? Number.parseInt(progress, 10) : undefined,
    enqueued: text("tenq") || undefined,
    finished,
    seconds: finished === undefined ? undefined : secondsBetween(text("tenq"), finished),
    lines: [...linesOf(node, "details"), ...linesOf(node, "warnings").map((line) => (/^warning/i.test(line) ? line : `Warning: ${line}`))],
  };
}

/** `tenq` contains a date. On many versions `tfin` only contains the time of day, which may belong to the next day. */
function finishedAt(enqueued: string, finished: string): string | undefined {
  const start = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)$/.exec(enqueued.trim());
  const end = /^(\d{4}\/\d\d\/\d\d )?(\d\d:\d\d:\d\d)$/.exec(finished.trim());
  if (end === null || (end[1] === undefined && start === null)) return undefined;
  const [, date, time = ""] = end;
  if (date !== undefined) return `${date}${time}`;
  const [, year, month, day, began = ""] = start ?? [];
  const later = time < began ? 1 : 0;
  const on = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + later)).toISOString().slice(0, 10);
  return `${on.replaceAll("-", "/")} ${time}`;
}

function secondsBetween(enqueued: string, finished: string): number | undefined {
  const [from, to] = [enqueued, finished].map((time) => Date.parse(`${time.trim().replaceAll("/", "-").replace(" ", "T")}Z`));
  const seconds = ((to ?? Number.NaN) - (from ?? Number.NaN)) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

function linesOf(node: TreeNode, tag: string): readonly string[] {
  const child = childOf(node, tag);
  return child === undefined ? [] : textLines(child);
}
