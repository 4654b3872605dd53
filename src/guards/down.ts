import { interruptionsOf } from "../plan/interrupt.js";
import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/** Refuses changes in place that interrupt an object, unless the document or this run allows that. */
export function refuseDown({ input, changes, desired, allow }: GuardContext): Refusal[] {
  if (allow.has("down")) return [];
  const held = interruptionsOf(changes, desired, input.shape).filter(({ isAllowed }) => !isAllowed);
  return held.map(({ entry, words, isReplaceable }) => ({
    guard: "down",
    message: `${words}, and is interrupted. $down: true allows that${isReplaceable ? ", and $replace: true recreates it instead" : ""}.`,
    path: entry,
    allow: "--allow down",
  }));
}
