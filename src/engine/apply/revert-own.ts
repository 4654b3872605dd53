import type { Path } from "../../core/tree/path.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import type { ApplySession } from "./apply-session.js";
import { isLost } from "./errors.js";
import { recordLost } from "./record-created.js";

/**
 * Reverts all uncommitted changes of our account with the platform's own revert. A revert without a reply may be executed while a later run
 * writes, and then reverts the changes of that run.
 * @param places Paths of the uncommitted changes.
 */
export async function revertOwn(session: ApplySession, places: readonly Path[]): Promise<void> {
  try {
    await session.writer.commits?.revert();
  } catch (error) {
    if (isLost(error)) await recordLost(session, places, error);
    throw error;
  }
}

/** Reverts all uncommitted changes of our account. Takes the paths from the list of changes. */
export async function revertListed(session: ApplySession, pending: readonly PendingChange[]): Promise<void> {
  await revertOwn(
    session,
    pending.flatMap((change) => pendingPath(change) ?? []),
  );
}
