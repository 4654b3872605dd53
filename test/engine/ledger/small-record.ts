import type { LedgerRecord } from "../../../src/engine/ledger.js";

/** A ledger of `o` on `t` that knows the paths of its rows, and whatever else `fields` says. */
export function smallRecord(fields: Partial<LedgerRecord> = {}): LedgerRecord {
  return { owner: "o", target: "t", commit: undefined, paths: Object.keys(fields.rows ?? {}), adopted: [], secrets: {}, ...fields };
}
