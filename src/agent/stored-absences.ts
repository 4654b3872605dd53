import { type Absences, absentIn, absentText } from "../engine/absences.js";
import type { Store } from "./store/store.js";

const CHANNEL = "absences";

/** In the agents' store: a target that another agent visits next is remembered all the same, and so is one of an agent without a disk. */
export function storedAbsences({ notifications }: Pick<Store, "notifications">, now: () => number): Absences {
  return {
    of: async (target) => absentIn((await notifications.last(CHANNEL, target).catch(() => undefined))?.state ?? ""),
    keep: (target, absent) => notifications.sent({ channel: CHANNEL, subject: target, state: absentText(absent), at: now() }),
  };
}
