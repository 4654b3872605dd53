import { behindWords, isBehind } from "./managed-firewalls.js";
import type { TargetOutcome } from "./outcome.js";

/** A commit of ours that `watch:` or `probe:` have not decided on yet, by the ledger. */
export interface UndecidedCommit {
  /** Run that sent it. */
  readonly run: string;
  /** Minutes in which its checks decide. */
  readonly window: number;
  /** Why it is to be taken back, where that is decided and not done. */
  readonly tripped: string | undefined;
}

/** What of a commit is not through yet, though what runs is as wanted: its checks, or firewalls that lack it. Undefined where all is. */
export function openWords({ undecided, firewalls }: Pick<TargetOutcome, "undecided" | "firewalls">): string | undefined {
  if (undecided !== undefined) return undecidedWords(undecided);
  return firewalls !== undefined && isBehind(firewalls) ? behindWords(firewalls) : undefined;
}

export function undecidedWords({ run, tripped }: UndecidedCommit): string {
  const state = tripped === undefined ? "is not decided on by its checks yet" : `is to be taken back: ${tripped}`;
  return `the commit of the run ${run} ${state}`;
}
