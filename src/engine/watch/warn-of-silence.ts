import { minutesAfter } from "../../core/device-time.js";
import type { ApplySession } from "../apply/apply-session.js";
import { type Count, countRecords } from "./count.js";

/**
 * Warns if a log has no records of any kind in the second half of the window but had some in an equally long time before the commit.
 * (Sessions from before the commit have ended by then.) A rule that does not log drops traffic without a record, so an empty filter result
 * proves little.
 */
export async function warnOfSilence(
  session: Pick<ApplySession, "target" | "warnings">,
  counts: readonly Count[],
  since: string,
): Promise<void> {
  for (const { watch, found } of counts) {
    if (found > 0) continue;
    const half = { ...watch, query: undefined, threshold: 1, minutes: watch.minutes / 2 };
    const after = await lastCount(session, half, minutesAfter(since, half.minutes));
    if (after !== 0 || !(await lastCount(session, half, minutesAfter(since, -half.minutes)))) continue;
    session.warnings.push(
      `the ${watch.type} log has no records since the commit, and had some before. Rules without logging drop traffic invisibly, so its watch is not evidence`,
    );
  }
}

/** Number of records in a window. Undefined if the log cannot be read. */
async function lastCount(session: Pick<ApplySession, "target">, watch: Count["watch"], since: string): Promise<number | undefined> {
  const { found, unread } = await countRecords(session, watch, since);
  return unread === undefined ? found : undefined;
}
