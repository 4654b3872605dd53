import type { TreeNode } from "../../../core/tree/node.js";
import { childOf, textLines, textOf } from "../client/reply.js";

/** A job of the device, as far as it tells (docs/devices/panos.md#commits-and-jobs). */
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
  /** `yyyy/mm/dd hh:mm:ss`, where the device tells. */
  readonly enqueued: string | undefined;
  /** `yyyy/mm/dd hh:mm:ss`, once finished and where the device tells. */
  readonly finished: string | undefined;
  /** Seconds from its being enqueued to its end, likewise. */
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

/** `tenq` has a date, `tfin` on many versions only the time of day, which may be that of the next day. */
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
