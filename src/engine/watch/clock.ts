import type { ApplySession } from "../apply/apply-session.js";
import { timeText } from "./times.js";

/** The target's own time; ours in UTC where it has no clock that we can read. */
export async function targetTime(session: ApplySession): Promise<string> {
  const ours = () => timeText(session.context.options.machine.now());
  return (await session.target.logs?.deviceTime()) ?? ours();
}
