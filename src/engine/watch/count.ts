import { PlumblineError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import type { LogWatch } from "../../desired/checks.js";
import type { ApplySession } from "../apply/apply-session.js";
import { isLost } from "../apply/errors.js";
import { minutesAfter } from "./times.js";

/** What one watch has found so far. */
export interface Count {
  readonly watch: LogWatch;
  /** Records since the commit; not counted beyond the threshold, or 20. */
  readonly found: number;
  /** A few of them, for people. */
  readonly samples: readonly string[];
  /** Why the log could not be read this time. */
  readonly unread?: string | undefined;
}

const LEAST_ASKED = 20;
const SAMPLES = 3;

/** Counts records of a log in the window that begins at `since`; what cannot be read is told, not thrown. */
export async function countRecords(session: ApplySession, watch: LogWatch, since: string): Promise<Count> {
  const { type, query, threshold, minutes } = watch;
  try {
    const most = Math.max(threshold, LEAST_ASKED);
    const records = (await session.target.logs?.records({ type, query, since, until: minutesAfter(since, minutes), most })) ?? [];
    return { watch, found: records.length, samples: records.slice(0, SAMPLES).map(sampleOf) };
  } catch (error) {
    if (!(error instanceof PlumblineError) && !isLost(error)) throw error;
    return { watch, found: 0, samples: [], unread: error instanceof Error ? error.message : String(error) };
  }
}

/** Fields that tell most of a record, as far as it has them. */
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
