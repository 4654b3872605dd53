import { isLeaseLost } from "../../core/write-lease.js";
import { recordOf } from "../pass/planner.js";
import { type ApplySession, takeoverAfter } from "./apply-session.js";
import { formatRun, isDead, parseRun } from "./lock-mark.js";
import { recordSnapshots } from "./record.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";
import { isSnapshotName, snapshotName } from "./snapshot-name.js";
import { giveLock, takeLock } from "./take-lock.js";

/** Saves the configuration on the target, where this very device does; the ledger has the name by then. */
export async function saveSnapshot(session: ApplySession, digest: string): Promise<void> {
  const name = snapshotName(session, digest);
  session.savesSnapshots = (await session.writer.snapshots?.save(name)) === true;
  if (!session.savesSnapshots) session.removedSnapshots.add(name);
}

/**
 * Removes what runs of this ledger saved on the target and nobody needs: not what an open watch may go back to, and not what
 * a run saved that may still be at work. The ledger forgets it with its next write. What cannot be removed is told, and tried
 * again by the next run.
 */
export async function removeSnapshots(session: ApplySession): Promise<void> {
  const names = unneeded(session);
  if (names.length === 0) return;
  await session.step("remove-snapshots", async () => {
    for (const name of names) await remove(session, name);
  });
}

/** The same, and the ledger forgets it now. */
export async function forgetSnapshots(session: ApplySession): Promise<void> {
  await removeSnapshots(session);
  const known = Object.keys(recordOf(session.ledger)?.snapshots ?? {});
  if (known.some((name) => session.removedSnapshots.has(name))) await session.step("ledger-after", () => recordSnapshots(session));
}

/**
 * The same for a run that ends without having written, or with what it wrote put back: it may have no lock, so the ledger is
 * read again, where another run says right before its commit what it will need. Where nothing may be written it is left for later.
 */
export async function removeLeftSnapshots(session: ApplySession): Promise<void> {
  if (unneeded(session).length === 0 || !(await mayWrite(session))) return;
  const { context, target } = session;
  session.ledger = await context.ledger.read(context.owner, target.name);
  await removeSnapshots(session);
  if (session.lease !== undefined) await giveLock(session);
}

function unneeded(session: ApplySession): string[] {
  const record = recordOf(session.ledger);
  const { machine } = session.context.options;
  const own = formatRun(session.run);
  const isOver = (text: string): boolean => {
    const run = parseRun(text);
    return text === own || run === undefined || isDead(run, machine) || machine.now() - run.started > takeoverAfter(session.context) * 1000;
  };
  return Object.entries(record?.snapshots ?? {}).flatMap(([name, run]) =>
    isSnapshotName(name) && name !== record?.watch?.snapshot && !session.removedSnapshots.has(name) && isOver(run) ? [name] : [],
  );
}

async function remove({ writer, removedSnapshots, warnings }: ApplySession, name: string): Promise<void> {
  try {
    const isRemoved = (await writer.snapshots?.remove(name)) === true;
    if (!isRemoved) warnings.push(`the saved configuration ${name} stays on the target, which removes none`);
    removedSnapshots.add(name);
  } catch (error) {
    if (isLeaseLost(error)) throw error;
    warnings.push(`the saved configuration ${name} could not be removed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether a window, a pause and, without locks, the lease of another run let this one write. */
export async function mayWrite(session: ApplySession): Promise<boolean> {
  try {
    await refuseShutWindow(session.context, session.warnings);
    await refusePaused(session);
    if (session.lease !== undefined) await takeLock(session, "", []);
    return true;
  } catch {
    return false;
  }
}
