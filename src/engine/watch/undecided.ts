import type { UndecidedCommit } from "../../outcome/format-unfinished.js";
import type { LedgerRecord } from "../ledger/ledger.js";

/** Returns the undecided commit in the ledger. */
export function undecidedOf(record: LedgerRecord | undefined): UndecidedCommit | undefined {
  if (record?.watch === undefined) return undefined;
  const { run, tripped, checks } = record.watch;
  return { run, tripped, window: Math.max(0, ...checks.watches.map(({ minutes }) => minutes)) };
}
