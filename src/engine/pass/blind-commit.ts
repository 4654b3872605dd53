import type { Capabilities } from "../../plan/platform.js";
import type { TargetContext } from "./context.js";

export const FOREIGN_PENDING = "foreign-pending";

/** A commit takes along whatever is uncommitted, and nobody can say whose it is. */
export function takesAllAlong({ candidate, changeList }: Capabilities): boolean {
  return candidate && !changeList;
}

/** Where nobody can see what is uncommitted, a commit is the only way to know that nothing is; it needs leave. */
export function mayCommitBlindly(capabilities: Capabilities, { configuration, options }: TargetContext): boolean {
  if (!takesAllAlong(capabilities) || capabilities.runningUnreadable !== true) return false;
  return configuration.blindCommit === true || options.allow.has(FOREIGN_PENDING);
}

/** What each run says of a target whose uncommitted work nobody can see. */
export function blindWarnings(capabilities: Capabilities, { configuration }: TargetContext): string[] {
  if (!takesAllAlong(capabilities) || capabilities.runningUnreadable !== true) return [];
  const unseen = "running cannot be read, so nobody sees what is uncommitted";
  return configuration.blindCommit === true
    ? [`${unseen}: work that others have begun goes along with a commit (blindCommit)`]
    : [`${unseen}: nothing is written as long as the target does not say blindCommit: true`];
}
