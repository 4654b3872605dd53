import type { ApplySession } from "./apply-session.js";

/**
 * Asks the shared place, right before what cannot be taken back by not going on: the first write, and the commit.
 * @throws PlumblineError `paused`, `notices-unreadable` (both refused)
 */
export async function refusePaused({ context }: Pick<ApplySession, "context">): Promise<void> {
  await context.notices.refusePaused(context.name, context.options.machine.now());
}
