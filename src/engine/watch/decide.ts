import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { WatchReport } from "../../outcome/outcome.js";
import { type ApplySession, jobProgress, type LedgerSession, settledJobs, type TargetSession } from "../apply/apply-session.js";
import { recordConfirmed, recordWatch } from "../apply/record-watch.js";
import { recordOf } from "../pass/planner.js";
import { targetTime } from "./clock.js";
import { isTripped } from "./count.js";
import { type Observation, observe } from "./observe.js";
import type { OpenWatch } from "./open-watch.js";
import type { NotRestored } from "./restoration.js";
import { revertCommit } from "./revert-commit.js";
import { warnOfSilence } from "./warn-of-silence.js";

/** End of the watched commit on the target's clock. Undefined if there is no watch or the end is already recorded. */
export async function committedAt(session: TargetSession & Pick<ApplySession, "ledger" | "writer">): Promise<string | undefined> {
  const open = recordOf(session.ledger.current)?.watch;
  if (open === undefined || open.since !== undefined) return undefined;
  const jobs = await settledJobs(session, open.description, jobProgress(session, "waiting for the commit"));
  return jobs.filter(({ ok }) => ok).at(-1)?.finished ?? (await targetTime(session).catch(() => open.asked));
}

/**
 * Decides on the commit with an open watch: confirmed if its checks pass until the end, otherwise rolled back.
 * @throws PlumblineError `commit-taken-back`; `commit-stands` (partial) if a part could not be rolled back.
 */
export async function decide(session: ApplySession, ending: Ending): Promise<void> {
  const open = recordOf(session.ledger.current)?.watch;
  if (open !== undefined) await conclude(session, open, await seenOf(session, open), ending);
}

/** Returns the recorded decision, or the result of the checks since `since` on the target's clock. */
export async function seenOf(session: LedgerSession, open: OpenWatch, since = open.since ?? open.asked): Promise<Observation> {
  if (open.tripped !== undefined) return { tripped: open.tripped, counts: [] };
  const seen = await session.step("watch", () => observe(session, open, since));
  if (seen.tripped === undefined) await warnOfSilence(session, seen.counts, since);
  return seen;
}

interface Ending {
  /** Contents of the ledger after a confirmation, if the run knows them. */
  readonly owns?: readonly string[] | undefined;
  /** As in `Committed`, if this run sent the commit. */
  readonly runningBefore: TreeNode | undefined;
  /** Further rollback work, before the ledger removes the commit. */
  readonly beyond?: (() => Promise<void>) | undefined;
}

/** @throws PlumblineError as `decide`. If `beyond` fails, the watch stays open for the next run. */
export async function conclude(
  session: ApplySession,
  open: OpenWatch,
  seen: Observation,
  { owns, beyond, runningBefore }: Ending,
): Promise<void> {
  const why = seen.tripped;
  if (why === undefined) {
    await session.step("watch-end", () => recordConfirmed(session, owns));
    session.progress.watchReport = reportOf(open, seen, "confirmed", []);
    return;
  }
  await session.step("watch-decide", () => recordWatch(session, { ...open, tripped: why }));
  let left: readonly NotRestored[];
  try {
    left = await revertCommit(session, open, why, { beyond, runningBefore });
  } catch (error) {
    session.progress.watchReport = reportOf(open, seen, "stands", []);
    throw notDecided(session, why, error);
  }
  session.progress.watchReport = reportOf(open, seen, left.length === 0 ? "taken back" : "stands", left);
  throw left.length === 0 ? takenBack(session, open, why) : partlyTakenBack(session, why, left);
}

function reportOf(
  open: OpenWatch,
  { tripped, counts }: Observation,
  decision: WatchReport["decision"],
  left: readonly NotRestored[],
): WatchReport {
  return {
    decision,
    commit: open.commit,
    reason: tripped,
    counts: counts.map(({ watch, found }) => {
      const { type, query, threshold } = watch;
      return { type, query, found, threshold, before: open.baseline[open.checks.watches.indexOf(watch)] };
    }),
    samples: counts.filter(isTripped).flatMap(({ samples }) => samples),
    left,
  };
}

function takenBack(session: Pick<ApplySession, "target">, { commit }: OpenWatch, why: string): PlumblineError {
  const allow = commit === undefined ? "--allow refused-commit=here" : `--allow refused-commit=${commit.slice(0, 8)}`;
  return new PlumblineError("commit-taken-back", `The commit was rolled back: ${why}`, {
    where: { target: session.target.name },
    next: `Change the desired state and commit it: this one is not applied here again (${allow} tries it once more).`,
  });
}

function partlyTakenBack(session: Pick<ApplySession, "target">, why: string, left: readonly NotRestored[]): PlumblineError {
  const shown = left.slice(0, 5).map(({ xpath, why: reason }) => `${xpath} (${reason})`);
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : "";
  return new PlumblineError("commit-stands", `The commit was partly rolled back: ${why}. Remaining: ${shown.join(", ")}${more}`, {
    where: { target: session.target.name, xpath: left[0]?.xpath },
    next: "Check these nodes on the device with the person who changed them, and change the desired state.",
    severity: "partial",
  });
}

function notDecided(session: Pick<ApplySession, "target">, why: string, cause: unknown): PlumblineError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PlumblineError("commit-stands", `The commit should be rolled back (${why}), but the rollback failed: ${reason}`, {
    where: { target: session.target.name },
    next: (cause instanceof PlumblineError ? cause.next : undefined) ?? "Run again: the next run takes it back, from any machine.",
    severity: "partial",
    cause,
  });
}
