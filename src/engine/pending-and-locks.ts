import type { PendingChange } from "../plan/platform.js";
import type { Lock, ReadTarget } from "./target.js";

/** Pending changes. Empty for targets without a candidate. */
export async function pendingOn({ underWay }: ReadTarget): Promise<readonly PendingChange[]> {
  return (await underWay?.pending()) ?? [];
}

/** Locks. Empty for targets without locks. */
export async function locksOn({ underWay }: ReadTarget, kind?: Lock["kind"]): Promise<readonly Lock[]> {
  return (await underWay?.locks(kind)) ?? [];
}
