import type { Path } from "../../core/tree/path.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import type { ApplySession } from "./apply-session.js";
import { isLost } from "./errors.js";
import { recordLost } from "./record-made.js";

/**
 * Takes away all that our account has uncommitted, which is at these places, by the platform's own revert. One that gets no reply may be
 * carried out while a later run writes there, and takes away what that one wrote.
 */
export async function revertOwn(session: ApplySession, places: readonly Path[]): Promise<void> {
  try {
    await session.writer.commits?.revert();
  } catch (error) {
    if (isLost(error)) await recordLost(session, places, error);
    throw error;
  }
}

/** The same, by the list of changes. */
export async function revertListed(session: ApplySession, pending: readonly PendingChange[]): Promise<void> {
  await revertOwn(
    session,
    pending.flatMap((change) => pendingPath(change) ?? []),
  );
}
