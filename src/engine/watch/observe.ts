import { millisecondsOf } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import { type ApplySession, reportProgress } from "../apply/apply-session.js";
import { targetTime } from "./clock.js";
import { type Count, countRecords, isTripped, limitOf } from "./count.js";
import type { OpenWatch } from "./open-watch.js";
import { runProbes } from "./probe.js";

type WatchSession = Pick<ApplySession, "context" | "target" | "write">;

export interface Observation {
  /** Reason to roll back the commit. Undefined if all checks pass. */
  readonly tripped: string | undefined;
  readonly counts: readonly Count[];
}

/** Milliseconds between two reads of the logs. Each read costs the device a job. */
const PAUSE = 10_000;
const SECOND = 1000;

/**
 * Watches until a check fails or the longest window ends, by the target's clock: probes first, then logs repeatedly, then probes again. A
 * stopped run does not confirm the commit. Logs that cannot be read at the end fail the check.
 * Failures from before the commit do not roll it back: a watch must find more than twice as many records, and a probe counts after its
 * first success.
 */
export async function observe(session: WatchSession, open: OpenWatch, since: string): Promise<Observation> {
  const { watches, probes } = open.checks;
  const longest = Math.max(0, ...watches.map(({ minutes }) => minutes));
  const end = millisecondsOf(since) + longest * 60_000;
  let counts: Count[] = [];
  const probing = new ProbeJudges(session, open);
  let tripped = await probing.failed();
  for (let waited = 0; tripped === undefined; ) {
    counts = [];
    for (const [at, watch] of watches.entries())
      counts.push(await countRecords(session, watch, since, limitOf(watch, open.baseline[at] ?? 0)));
    tripped = trippedBy(counts, since) ?? interrupted(session);
    if (tripped !== undefined) break;
    const left = end - (await timeNow(session, millisecondsOf(since) + waited));
    // A clock that stops or goes back must not keep the loop running forever.
    if (left <= 0 || waited > 2 * longest * 60_000) {
      const unread = counts.find((count) => count.unread !== undefined);
      if (unread !== undefined) tripped = `the ${unread.watch.type} log could not be read: ${unread.unread}`;
      else if (longest > 0 && probes.length > 0) tripped = await probing.failed();
      break;
    }
    reportProgress(session, `watching the commit, ${Math.ceil(left / SECOND)} s left${countWords(counts)}`);
    waited += await pause(session, Math.min(PAUSE, left + SECOND));
  }
  return { tripped, counts };
}

/** Runs the probes. Ignores each probe that failed before the commit until it succeeds. */
class ProbeJudges {
  readonly #session: WatchSession;
  readonly #open: OpenWatch;
  /** Probes that have not succeeded since before the commit. */
  readonly #silent: Set<number>;

  constructor(session: WatchSession, open: OpenWatch) {
    this.#session = session;
    this.#open = open;
    this.#silent = new Set(open.failedBefore);
  }

  async failed(): Promise<string | undefined> {
    const results = await runProbes(this.#session, this.#open.checks.probes);
    for (const at of [...this.#silent]) if (results[at] === undefined) this.#silent.delete(at);
    return interrupted(this.#session) ?? results.find((why, at) => why !== undefined && !this.#silent.has(at));
  }
}

function trippedBy(counts: readonly Count[], since: string): string | undefined {
  const count = counts.find(isTripped);
  if (count === undefined) return undefined;
  const { limit } = count;
  const { type, query } = count.watch;
  const filter = query === undefined ? "" : ` for ${query}`;
  const records = count.found === 1 ? "1 record" : `${count.found} records`;
  return `${records} of the ${type} log${filter} since ${since}, where ${limit === 1 ? "none" : `fewer than ${limit}`} may be`;
}

function interrupted(session: WatchSession): string | undefined {
  if (session.context.options.stop?.aborted !== true) return undefined;
  if (session.write.leaveWatch !== true) return "the run was stopped before the checks had confirmed it";
  throw new PlumblineError("interrupted", "The run was stopped while it watched its commit", {
    where: { target: session.target.name },
    next: "Run again: the next run continues to watch, and decides.",
  });
}

/** A target that does not answer may do so later: until then our own waiting counts. */
async function timeNow(session: WatchSession, estimate: number): Promise<number> {
  return await targetTime(session).then(millisecondsOf, () => estimate);
}

/** Sleeps in steps of one second, so that a stopped run ends soon. */
async function pause(session: WatchSession, milliseconds: number): Promise<number> {
  let slept = 0;
  while (slept < milliseconds && session.context.options.stop?.aborted !== true) {
    await session.write.sleep(SECOND);
    slept += SECOND;
  }
  return slept;
}

function countWords(counts: readonly Count[]): string {
  return counts.map(({ watch, found }) => `, ${found} of ${watch.threshold} ${watch.type} records`).join("");
}
