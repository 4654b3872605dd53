import { recordOf } from "../pass/planner.js";
import type { OpenWatch, RefusedCommit } from "../watch/open-watch.js";
import type { LedgerSession } from "./apply-session.js";
import { countedDeletes, refusedAfter } from "./record.js";
import { saveRecord } from "./save-record.js";

/** Records the watch of a commit. Called before the commit is sent and while its watch continues. */
export async function recordWatch(session: LedgerSession, watch: OpenWatch): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old !== undefined) await saveRecord(session, { ...old, watch });
}

/**
 * Records that the checks passed: deleted objects leave the ledger.
 * @param owns Undefined in a run that finishes the watch of another run.
 */
export async function recordConfirmed(session: LedgerSession, owns: readonly string[] | undefined): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old === undefined) return;
  const kept = owns === undefined ? old : { paths: owns, leaving: undefined };
  await saveRecord(session, { ...old, ...kept, watch: undefined, refused: refusedAfter(session) });
}

/**
 * Restores the ledger after a watched commit was rolled back completely. Objects that existed before Plumbline leave the ledger, and
 * earlier rows get their former content.
 * @param kept Paths of the commit that still exist. Objects that Plumbline created stay in the ledger.
 */
export async function recordReverted(
  session: LedgerSession,
  watch: OpenWatch,
  kept: Pick<ReadonlySet<string>, "has">,
  refused: RefusedCommit | undefined,
): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old === undefined) return;
  const { commit, added, announced = [], adopted, secrets } = watch.before;
  const wasMade = (path: string) => old.rows?.[path] === undefined || old.rows[path].came === "made";
  const removed = new Set(added.filter((path) => !kept.has(path) || !wasMade(path)));
  const paths = old.paths.filter((path) => !removed.has(path));
  // The origin of a removed row is not valid for later objects at its path.
  const rows = Object.fromEntries(Object.entries({ ...old.rows, ...watch.before.rows }).filter(([path]) => !removed.has(path)));
  const counted = countedDeletes(session, old);
  await saveRecord(session, {
    ...old,
    ...counted,
    commit,
    paths,
    rows,
    announced: announced.length === 0 ? undefined : announced,
    leaving: undefined,
    adopted,
    secrets,
    watch: undefined,
    refused: refused ?? old.refused,
  });
}
