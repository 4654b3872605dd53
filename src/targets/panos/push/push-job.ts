import type { TreeNode } from "../../../core/tree/node.js";
import type { PushResult } from "../../../engine/write-target.js";
import { childOf, textLines, textOf } from "../client/reply.js";
import { type Job, readJob } from "../commit/job.js";

/** A firewall in a push job. `result` is undefined until it ends. */
interface Row extends Omit<PushResult, "result" | "job"> {
  readonly hostname: string | undefined;
  readonly result: "ok" | "failed" | "not connected" | undefined;
}

export interface PushJobState extends Job {
  readonly rows: readonly Row[];
}

/** Job types that push, or validate a push. */
export const PUSH_JOB = /^(?:CommitAll|ValidateAll)$/;

export function readPushJob(node: TreeNode): PushJobState {
  return { ...readJob(node), rows: (childOf(node, "devices")?.children ?? []).map(rowOf) };
}

/** Whether the job has ended on the manager and on every firewall in it. */
export function isOver({ status, rows }: PushJobState): boolean {
  return status === "FIN" && rows.every(({ result }) => result !== undefined);
}

/**
 * Whether the job ended without success: it failed or was cancelled. The text of a cancelled job is unknown
 * (docs/contributing/panorama.md#what-nobody-knows).
 */
export function isRefused({ status, result }: PushJobState): boolean {
  return status === "FIN" && result !== "OK";
}

/** Returns the result for each serial number, after the watch has ended. */
export function resultsOf(job: PushJobState, serials: readonly string[]): PushResult[] {
  const { id, result, lines, rows, status } = job;
  const words = lines.length > 0 || result === "FAIL" ? lines : [`the manager reports ${result === "" ? "no result" : result} for its job`];
  return serials.map((serial) => {
    const row = rows.find((each) => each.serial === serial);
    if (row !== undefined) return { serial, job: id, result: row.result ?? "unknown", lines: row.lines };
    if (isRefused(job)) return { serial, job: id, result: "failed", lines: words };
    return { serial, job: id, result: status === "FIN" ? "missing" : "unknown", lines: [] };
  });
}

/** The `result` element decides, because the errors also contain the text of a success. */
function rowOf(entry: TreeNode): Row {
  const text = (tag: string) => textOf(childOf(entry, tag));
  const details = childOf(entry, "details");
  const message = details === undefined ? undefined : (childOf(details, "msg") ?? details);
  const errors = message === undefined ? undefined : (childOf(message, "errors") ?? message);
  const lines = errors === undefined ? [] : textLines(errors);
  const hostname = text("devicename") || undefined;
  return { serial: text("serial-no") || (entry.name ?? ""), hostname, result: resultIn(text("status"), text("result")), lines };
}

function resultIn(status: string, result: string): Row["result"] {
  if (/^not connected$/i.test(status)) return "not connected";
  if (result === "OK") return "ok";
  return result === "FAIL" ? "failed" : undefined;
}
