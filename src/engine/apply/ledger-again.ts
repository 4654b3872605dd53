import { encodeRecord } from "../ledger/codec.js";
import type { LedgerState } from "../ledger.js";
import type { ApplySession } from "./apply-session.js";

/**
 * Reads the ledger again, under the lock: what a run before us wrote since we read it is what the plan has to be made from, also
 * where we have nothing to write there that would be refused. Resolves to whether it moved.
 */
export async function readLedgerAgain(session: ApplySession): Promise<boolean> {
  const { context, ledger } = session;
  const now = await context.ledger.read(context.owner, context.name);
  if (now.state === "unreadable" || textOf(now) === textOf(ledger)) return false;
  session.ledger = now;
  return true;
}

function textOf(ledger: LedgerState): string {
  return ledger.state === "present" ? encodeRecord(ledger.record) : ledger.state;
}
