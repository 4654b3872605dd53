import { isLeaseLost } from "../../core/write-lease.js";
import { recordOf } from "../pass/planner.js";
import { type ApplySession, type LedgerSession, type LockSession, takeoverAfter } from "./apply-session.js";
import { formatRun, isDead, parseRun } from "./lock-mark.js";
import { recordSnapshots } from "./record.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";
import { isSnapshotName, snapshotName } from "./snapshot-name.js";
import { giveLock, takeLock } from "./take-lock.js";

/**
 * Saves the configuration on the target. The ledger already contains the name.
 * @returns False if the device does not support it.
 */
export async function saveSnapshot(session: Pick<ApplySession, "context" | "ledger" | "run" | "writer">, digest: string): Promise<boolean> {
  const name = snapshotName(session, digest);
  const isSaved = (await session.writer.snapshots?.save(name)) === true;
  if (!isSaved) session.ledger.removedSnapshots.add(name);
  return isSaved;
}

/**
 * Removes snapshots that runs of this ledger saved and that are no longer needed. Keeps snapshots of an open watch and of runs that may
 * still be at work. The next write of the ledger removes the names. A failed removal is reported and retried by the next run.
 */
export async function removeSnapshots(session: ApplySession): Promise<void> {
  const names = unneeded(session);
  if (names.length === 0) return;
  await session.step("remove-snapshots", async () => {
    for (const name of names) await remove(session, name);
  });
}

/** Removes snapshots that are no longer needed and updates the ledger immediately. */
export async function forgetSnapshots(session: ApplySession): Promise<void> {
  await removeSnapshots(session);
  const known = Object.keys(recordOf(session.ledger.current)?.snapshots ?? {});
  if (known.some((name) => session.ledger.removedSnapshots.has(name))) await session.step("ledger-after", () => recordSnapshots(session));
}

/**
 * Removes unneeded snapshots at the end of a run that did not write or restored its changes. Such a run may have no lock, so it reads the
 * ledger again: another run announces there the snapshots that its commit will need. Skipped if a window, a pause or a lease forbids
 * writing.
 */
export async function removeLeftSnapshots(session: ApplySession): Promise<void> {
  if (unneeded(session).length === 0 || !(await mayWrite(session))) return;
  const { context, target } = session;
  session.ledger.current = await context.records.ledger.read(context.owner, target.name);
  await removeSnapshots(session);
  if (session.lease !== undefined) await giveLock(session);
}

function unneeded(session: LedgerSession): string[] {
  const record = recordOf(session.ledger.current);
  const { machine } = session.context.options;
  const own = formatRun(session.run);
  const isOver = (text: string): boolean => {
    const run = parseRun(text);
    return text === own || run === undefined || isDead(run, machine) || machine.now() - run.started > takeoverAfter(session.context) * 1000;
  };
  return Object.entries(record?.snapshots ?? {}).flatMap(([name, run]) =>
    isSnapshotName(name) && name !== record?.watch?.snapshot && !session.ledger.removedSnapshots.has(name) && isOver(run) ? [name] : [],
  );
}

async function remove(
  { writer, warnings, ledger: { removedSnapshots } }: Pick<ApplySession, "ledger" | "warnings" | "writer">,
  name: string,
): Promise<void> {
  try {
    const isRemoved = (await writer.snapshots?.remove(name)) === true;
    if (!isRemoved) warnings.push(`the saved configuration ${name} stays on the target, which cannot delete it`);
    removedSnapshots.add(name);
  } catch (error) {
    if (isLeaseLost(error)) throw error;
    warnings.push(`the saved configuration ${name} could not be removed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns true if the window, the pauses and, on a target without locks, the leases of other runs allow this run to write. */
export async function mayWrite(session: LockSession): Promise<boolean> {
  try {
    await refuseShutWindow(session.context, session.warnings);
    await refusePaused(session);
    if (session.lease !== undefined) await takeLock(session, "", []);
    return true;
  } catch {
    return false;
  }
}
