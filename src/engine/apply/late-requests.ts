import { pendingPath } from "../../plan/pending-path.js";
import type { Planned } from "../pass/planner.js";
import { type ApplySession, pendingNow, say } from "./apply-session.js";

/**
 * A request whose reply was lost may be carried out after our commit: what it leaves is ours, and is taken away before we say that
 * we are done. What lies elsewhere is somebody's who works under our account: told, and left alone.
 */
export async function clearLateRequests(session: ApplySession, { plan }: Planned): Promise<void> {
  const { administrator, capabilities, writer, step, warnings } = session;
  if (!session.hasLostReply) return;
  const own = (await pendingNow(session)).filter(({ owner }) => owner === administrator);
  if (own.length === 0) return;
  const isOurs = own.every((change) => {
    const path = pendingPath(change);
    return path !== undefined && plan.operations.some(({ operation: { at } }) => path.contains(at) || at.contains(path));
  });
  if (isOurs && capabilities.partialRevert) {
    say(session, "a request of ours came after the commit, taking away what it left");
    await step("revert-leftovers", async () => writer.commits?.revert());
    return;
  }
  const what = isOurs ? "a request of ours whose reply was lost came after the commit" : "somebody may work under it";
  warnings.push(`our own account ${administrator} has ${own.length} uncommitted changes again (${own[0]?.xpath}): ${what}`);
}
