import { timeText } from "../../core/device-time.js";
import type { ApplySession } from "../apply/apply-session.js";

/** Returns the target's time, or the local time in UTC if the target has no readable clock. */
export async function targetTime(session: Pick<ApplySession, "context" | "target">): Promise<string> {
  const ownTime = () => timeText(session.context.options.machine.now());
  return (await session.target.logs?.deviceTime()) ?? ownTime();
}
