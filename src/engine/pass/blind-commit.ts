import { FOREIGN_PENDING } from "../../guards/foreign-pending.js";
import type { Capabilities } from "../../plan/platform.js";
import type { TargetContext } from "./context.js";

/** Reports whether a commit includes all uncommitted changes and the target cannot list their authors. */
export function commitsUnknownChanges({ candidate, changeList }: Capabilities): boolean {
  return candidate && !changeList;
}

/** If uncommitted changes cannot be read, any commit may include them. This needs `blindCommit` or `--allow`. */
export function mayCommitBlindly(capabilities: Capabilities, { configuration, options }: TargetContext): boolean {
  if (!commitsUnknownChanges(capabilities) || capabilities.runningUnreadable !== true) return false;
  return configuration.blindCommit === true || options.overrides.allow.has(FOREIGN_PENDING);
}

/** Warnings for a target whose uncommitted changes cannot be read. */
export function blindWarnings(capabilities: Capabilities, { configuration }: TargetContext): string[] {
  if (!commitsUnknownChanges(capabilities) || capabilities.runningUnreadable !== true) return [];
  const unseen = "the running configuration cannot be read, so uncommitted changes are invisible";
  return configuration.blindCommit === true
    ? [`${unseen}: a commit includes the uncommitted work of others (blindCommit)`]
    : [`${unseen}: nothing is written unless the target sets blindCommit: true`];
}
