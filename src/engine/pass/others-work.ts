import type { TargetContext } from "./context.js";

/** `--allow unpushed`: others' commits that nobody pushed go along once. */
export const UNPUSHED = "unpushed";

/** `push: { others: selective }`, and this run was not told otherwise. */
export function leavesOut({ configuration, options }: TargetContext): boolean {
  return configuration.push?.others === "selective" && !options.allow.has(UNPUSHED);
}

/** Others' work goes along: said once, or declared. */
export function takesAlong({ configuration, options }: TargetContext): boolean {
  return configuration.push?.others === "include" || options.allow.has(UNPUSHED);
}
