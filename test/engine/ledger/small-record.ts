import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";

/** A ledger of `o` on `t` with the paths of its rows and the given fields. */
export function smallRecord(fields: Partial<LedgerRecord> = {}): LedgerRecord {
  return { owner: "o", target: "t", commit: undefined, paths: Object.keys(fields.rows ?? {}), adopted: [], secrets: {}, ...fields };
}
