import { millisecondsOf, minutesAfter } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import type { Checks, LogWatch } from "../../desired/checks.js";
import type { ApplySession, LedgerSession } from "../apply/apply-session.js";
import { recordOf } from "../pass/planner.js";
import { targetTime } from "./clock.js";
import { type Count, countRecords, isTripped, limitOf, TOO_MANY } from "./count.js";
import { runProbes } from "./probe.js";

/** Results of the checks before the first write. */
export interface Baseline {
  /** Number of records that each watch counted. */
  readonly counts: readonly number[];
  /** Indexes of the probes that failed. */
  readonly failed: readonly number[];
}

/**
 * Runs before the first write. Checks that every watch can be read, counts its records in an equally long time before, and finds probes
 * that already fail. Such failures are reported, because they prove little about the commit.
 * @throws PlumblineError `watch-unreadable` (refused): a watch that cannot be read would roll back every commit.
 */
export async function takeBaseline(session: LedgerSession): Promise<Baseline | undefined> {
  const { checks } = session.context.desired;
  if (checks === undefined) return undefined;
  const counts = await countBefore(session, checks);
  return { counts, failed: await probeBefore(session, checks) };
}

async function probeBefore(session: Pick<ApplySession, "context" | "warnings" | "write">, { probes }: Checks): Promise<readonly number[]> {
  const results = await runProbes(session, probes);
  if (session.context.options.stop?.aborted === true) return [];
  const failed = [...results.keys()].filter((at) => results[at] !== undefined);
  for (const at of failed) session.warnings.push(`before the commit ${results[at]}: it is not evidence about the commit until it succeeds`);
  return failed;
}

async function countBefore(session: LedgerSession, { watches }: Checks): Promise<readonly number[]> {
  if (watches.length === 0) return [];
  const now = await targetTime(session);
  const counts: number[] = [];
  for (const watch of watches) counts.push(await recordsBefore(session, watch, now));
  return counts;
}

/**
 * Number of records in an equally long time before `now`. Starts later if a commit was rolled back in that time, because its records do not
 * count as normal.
 */
async function recordsBefore(session: LedgerSession, watch: LogWatch, now: string): Promise<number> {
  const { minutes } = watch;
  const complete = minutesAfter(now, -minutes);
  const takenBack = recordOf(session.ledger.current)?.refused?.at ?? complete;
  const since = takenBack > now ? now : takenBack > complete ? takenBack : complete;
  const first = await countRecords(session, watch, since);
  const count = isTripped(first) ? await countRecords(session, watch, since, Math.max(watch.threshold, TOO_MANY)) : first;
  if (count.unread !== undefined) throw unreadable(session, count);
  const share = (millisecondsOf(now) - millisecondsOf(since)) / (minutes * 60_000);
  const found = Math.ceil(count.found / Math.max(share, 1 / 60));
  const limit = limitOf(watch, found);
  if (limit > watch.threshold) session.warnings.push(wordsOf(watch, found, limit));
  return found;
}

function wordsOf({ type, threshold }: LogWatch, found: number, limit: number): string {
  const judges = limit === Number.POSITIVE_INFINITY ? "is not evidence about it" : `takes it back from ${limit} on`;
  return `the ${type} log had ${found} records before the commit, where ${threshold === 1 ? "none" : `fewer than ${threshold}`} may be: its watch ${judges}`;
}

function unreadable({ target }: Pick<ApplySession, "target">, { watch, unread }: Count): PlumblineError {
  return new PlumblineError("watch-unreadable", `The ${watch.type} log cannot be read as watch: requires: ${unread}`, {
    where: { target: target.name },
    next: "Try the filter with `plumbline logs --type … --query …`, and check the permissions of the account.",
    severity: "refused",
  });
}
