import type { Path } from "../../core/tree/path.js";
import { type ApplySession, takeoverAfter } from "./apply-session.js";
import { acquireLock, holdsLock } from "./lock.js";

/** Takes the lock for what is about to be touched, where the platform has locks. Resolves to whether it was taken over from a killed run. */
export async function takeLock(session: ApplySession, digest: string, touched: readonly Path[]): Promise<boolean> {
  const { target, locks, context, write, administrator, run } = session;
  if (locks === undefined) return false;
  const { owner, options } = context;
  const { machine } = options;
  const request = { target, locks, owner, administrator, run, digest, touched, takeoverAfter: takeoverAfter(context), machine, ...write };
  return await session.step("lock", () => acquireLock(request));
}

/** A lock that cannot be removed is cleared by the next run: no reason to call this one failed. */
export async function giveLock(session: ApplySession): Promise<void> {
  const { target, locks, run, step } = session;
  if (locks === undefined) return;
  try {
    if (await holdsLock(target, run)) await step("unlock", () => locks.unlock());
  } catch (error) {
    session.warnings.push(`our lock could not be removed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
