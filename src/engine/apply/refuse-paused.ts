import type { ApplySession } from "./apply-session.js";

/**
 * Reads the pauses from the shared place. Called right before each step that stopping does not undo: the first write, the commit and
 * the order of a push.
 * @throws PlumblineError `paused`, `notices-unreadable` (both refused)
 */
export async function refusePaused({ context }: Pick<ApplySession, "context">): Promise<void> {
  await context.records.notices.refusePaused(context.name, context.options.machine.now());
}
