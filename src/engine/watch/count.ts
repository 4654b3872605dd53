import { minutesAfter } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import type { LogWatch } from "../../desired/checks.js";
import type { ApplySession } from "../apply/apply-session.js";
import { isLost } from "../apply/errors.js";

/** Current result of one watch. */
export interface Count {
  readonly watch: LogWatch;
  /** Records since the commit; not counted beyond the limit, or 20. */
  readonly found: number;
  /** Number of records at which the commit is rolled back: the threshold, or more if there were as many before the commit. */
  readonly limit: number;
  /** A few of them, for people. */
  readonly samples: readonly string[];
  /** Why the log could not be read this time. */
  readonly unread?: string | undefined;
}

/** Whether there are as many records as may not be. */
export function isTripped({ found, limit }: Pick<Count, "found" | "limit">): boolean {
  return found >= limit;
}

/** Number of records before a commit from which the log cannot judge the commit. */
export const TOO_MANY = 2000;

/**
 * Number of records that fails the check: the threshold, or more than twice the number in the time before if that reached the threshold.
 * Infinity if the log cannot judge the commit.
 */
export function limitOf({ threshold }: LogWatch, before: number): number {
  if (before < threshold) return threshold;
  return before >= Math.max(TOO_MANY, threshold) ? Number.POSITIVE_INFINITY : 2 * before + threshold;
}

const LEAST_RECORDS = 20;
const SAMPLES = 3;

/** Counts log records in the window that begins at `since`. Read errors are returned in `unread`, not thrown. */
export async function countRecords(
  session: Pick<ApplySession, "target">,
  watch: LogWatch,
  since: string,
  limit = watch.threshold,
): Promise<Count> {
  const { type, query, minutes } = watch;
  if (limit === Number.POSITIVE_INFINITY) return { watch, found: 0, limit, samples: [] };
  try {
    const most = Math.max(limit, LEAST_RECORDS);
    const records = (await session.target.logs?.records({ type, query, since, until: minutesAfter(since, minutes), most })) ?? [];
    return { watch, found: records.length, limit, samples: records.slice(0, SAMPLES).map(sampleOf) };
  } catch (error) {
    if (!(error instanceof PlumblineError) && !isLost(error)) throw error;
    return { watch, found: 0, limit, samples: [], unread: error instanceof Error ? error.message : String(error) };
  }
}

/** The most useful fields of a record. */
const TELLING = [
  "receive_time",
  "severity",
  "from",
  "to",
  "src",
  "dst",
  "dport",
  "proto",
  "app",
  "rule",
  "action",
  "threatid",
  "eventid",
  "opaque",
];

function sampleOf(record: ReadonlyMap<string, string>): string {
  const fields = TELLING.flatMap((name) => {
    const value = record.get(name);
    return value === undefined || value === "" ? [] : [name === "receive_time" ? value : `${name} ${value}`];
  });
  return printable(fields.join("  ")).slice(0, 300);
}
