import { readFileSync } from "node:fs";
import { decodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import type { LabWorld } from "../apply/lab-world.js";

/** The ledger of the only target of a world, as stored on disk. */
export function ledgerOf(world: LabWorld): LedgerRecord {
  const document = JSON.parse(readFileSync(world.files.ledger, "utf8")) as unknown;
  const [found] = recordsIn(document);
  if (found === undefined) throw new Error(`no ledger in ${JSON.stringify(document).slice(0, 300)}`);
  return found;
}

/** Ledgers of a document, which may hold them as text. */
function recordsIn(value: unknown): LedgerRecord[] {
  if (typeof value === "string" && value.startsWith("{")) return [decodeRecord(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(recordsIn);
}
