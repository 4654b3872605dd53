import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { TakeoverReason } from "../lease/takeover-reason.js";
import { UnchangedSince } from "../lease/unchanged-since.js";
import { type ApplySession, type LockSession, takeoverAfter } from "./apply-session.js";
import { acquireLock, holdsLock } from "./lock.js";

const WHY: Readonly<Record<TakeoverReason, string>> = {
  dead: "whose process has ended",
  unchanged: "which did not renew it in time",
  told: "because of --takeover",
};

export interface TakenLock {
  /** The lock was taken over from another run that did not release it. */
  readonly tookOver: boolean;
  /** The lock was not free immediately. Its holder may have changed anything since the plan was made. */
  readonly hasWaited: boolean;
}

/** Takes the lock for the paths that the plan touches, or the lease of a target without locks. */
export async function takeLock(session: LockSession, digest: string, touched: readonly Path[]): Promise<TakenLock> {
  const {
    target,
    locks,
    context,
    write,
    run,
    facts: { administrator },
  } = session;
  if (locks === undefined) return { tookOver: await takeLease(session), hasWaited: false };
  const { owner, options } = context;
  const { machine } = options;
  const judge = { takeoverAfter: takeoverAfter(context), machine, seen: new UnchangedSince(options.stores.stateFolder, machine) };
  let hasWaited = false;
  const onWait = (): void => {
    hasWaited = true;
  };
  const request = { target, locks, owner, administrator, run, digest, touched, ...judge, ...write, onWait };
  const tookOver = await session.step("lock", () => acquireLock(request));
  return { tookOver, hasWaited };
}

async function takeLease({ step, warnings, lease }: LockSession): Promise<boolean> {
  if (lease === undefined || lease.isHeld) return false;
  const taken = await step("lock", () => lease.take());
  if (taken === undefined) return false;
  const { run, who } = taken.from;
  warnings.push(`the lease was taken over from the run ${run}${who === undefined ? "" : ` of ${who}`}, ${WHY[taken.over]}`);
  return true;
}

/**
 * Takes the lock again if this run no longer holds it. Most platforms remove the lock at a commit.
 * @returns True if the lock was taken over from another run.
 */
export async function lockUnlessHeld(session: LockSession, digest: string, touched: readonly Path[]): Promise<boolean> {
  const { target, locks, run } = session;
  if (locks !== undefined && (await holdsLock(target, run))) return false;
  return (await takeLock(session, digest, touched)).tookOver;
}

/** Releases the lock. A failure is only a warning, because the next run removes the lock. */
export async function giveLock(session: LockSession): Promise<void> {
  const { locks, lease, step } = session;
  try {
    if (lease?.isHeld === true) await step("unlock", () => lease.give());
    if (locks !== undefined && (await mayHold(session))) await step("unlock", () => locks.unlock());
  } catch (error) {
    const what = locks === undefined ? "lease could not be given back" : "lock could not be removed";
    session.warnings.push(`our ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns true if we hold the lock, or if the holder is unknown because the target knows our account by another name. */
async function mayHold({ target, run }: Pick<ApplySession, "run" | "target">): Promise<boolean> {
  return await holdsLock(target, run).catch((error: unknown) => {
    if (error instanceof PlumblineError && error.code === "administrator-unknown") return true;
    throw error;
  });
}
