import type { PendingChange } from "../plan/platform.js";
import type { Lock, ReadTarget } from "./target.js";

/** Pending changes. Empty for targets without a candidate. */
export async function pendingOn({ pendingAndLocks }: ReadTarget): Promise<readonly PendingChange[]> {
  return (await pendingAndLocks?.pending()) ?? [];
}

/** Locks. Empty for targets without locks. */
export async function locksOn({ pendingAndLocks }: ReadTarget, kind?: Lock["kind"]): Promise<readonly Lock[]> {
  return (await pendingAndLocks?.locks(kind)) ?? [];
}
