import { type Absences, absentIn, absentText } from "../engine/absences.js";
import type { Store } from "./store/store.js";

const CHANNEL = "absences";

/** Keeps absences in the store of the agents, so that another agent, or an agent without a disk, can continue with them. */
export function storedAbsences({ notifications }: Pick<Store, "notifications">, now: () => number): Absences {
  return {
    of: async (target) => absentIn((await notifications.last(CHANNEL, target).catch(() => undefined))?.state ?? ""),
    keep: (target, absent) => notifications.sent({ channel: CHANNEL, subject: target, state: absentText(absent), at: now() }),
  };
}
