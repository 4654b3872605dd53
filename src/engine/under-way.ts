import type { PendingChange } from "../plan/platform.js";
import type { Lock, ReadTarget } from "./target.js";

/** Nobody has anything pending where nothing can be. */
export async function pendingOn({ underWay }: ReadTarget): Promise<readonly PendingChange[]> {
  return (await underWay?.pending()) ?? [];
}

/** Nobody holds a lock where there are none. */
export async function locksOn({ underWay }: ReadTarget, kind?: Lock["kind"]): Promise<readonly Lock[]> {
  return (await underWay?.locks(kind)) ?? [];
}
