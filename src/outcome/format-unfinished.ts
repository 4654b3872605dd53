import { formatBehind, isBehind } from "./managed-firewalls.js";
import type { TargetOutcome } from "./outcome.js";

/** A commit by Plumbline that `watch:` or `probe:` have not decided yet, as recorded in the ledger. */
export interface UndecidedCommit {
  /** The run that sent the commit. */
  readonly run: string;
  /** Minutes until its checks decide. */
  readonly window: number;
  /** Why the commit is to be rolled back, if the rollback is decided but not done. */
  readonly tripped: string | undefined;
}

/**
 * Returns why a commit is not finished although the target is as wanted: open checks, or firewalls that lack it. Undefined if everything is
 * finished.
 */
export function formatUnfinished({ undecided, firewalls }: Pick<TargetOutcome, "undecided" | "firewalls">): string | undefined {
  if (undecided !== undefined) return formatUndecided(undecided);
  return firewalls !== undefined && isBehind(firewalls) ? formatBehind(firewalls) : undefined;
}

export function formatUndecided({ run, tripped }: UndecidedCommit): string {
  const state = tripped === undefined ? "is not decided on by its checks yet" : `will be rolled back: ${tripped}`;
  return `the commit of the run ${run} ${state}`;
}
