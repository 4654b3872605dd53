import type { Refusal } from "../plan/model.js";

/** Name of `--allow unpushed`: includes other administrators' unpushed commits once. */
export const UNPUSHED = "unpushed";

/** Refuses a push that would include commits of others that were not pushed yet, one message for each firewall. */
export function refuseUnpushed(messages: readonly string[]): Refusal[] {
  return messages.map((message) => ({ guard: UNPUSHED, message, path: undefined, allow: `--allow ${UNPUSHED}` }));
}
