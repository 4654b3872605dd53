import { refuseOtherDevice } from "../device-identity.js";
import { encodeRecord } from "../ledger/codec.js";
import type { LedgerState } from "../ledger.js";
import { type Planned, recordOf } from "../pass/planner.js";
import { refuseUnprovenWatch } from "../watch/refuse-unproven-watch.js";
import type { ApplySession } from "./apply-session.js";

/**
 * Reads the ledger again, under the lock: what a run before us wrote since we read it is what the plan has to be made from, also
 * where we have nothing to write there that would be refused. Resolves to whether it moved.
 */
export async function readLedgerAgain(session: ApplySession): Promise<boolean> {
  const { context, ledger, device } = session;
  const now = await context.ledger.read(context.owner, context.name);
  if (now.state === "unreadable" || !isAnotherLedger(now, ledger)) return false;
  refuseOtherDevice(recordOf(now), device, context.name);
  await refuseUnprovenWatch(recordOf(now), context);
  session.ledger = now;
  return true;
}

/** Whether what stands in the ledger is another text than what the plan was made from. */
export function isAnotherLedger(now: LedgerState, planned: LedgerState): boolean {
  if (now.state === "present" && planned.state === "present" && now.record === planned.record) return false;
  return textOf(now) !== textOf(planned);
}

/**
 * Rows that a run announced, and that a record made from this plan would forget. That run may be about to make them, or have made them
 * since we read: only under our lock, and by what is read then, may they go.
 */
export function forgetsAnnounced({ ledger }: ApplySession, { plan }: Planned): boolean {
  const announced = recordOf(ledger)?.announced ?? [];
  if (announced.length === 0) return false;
  const owned = new Set(plan.owns);
  return announced.some((path) => !owned.has(path));
}

function textOf(ledger: LedgerState): string {
  return ledger.state === "present" ? encodeRecord(ledger.record) : ledger.state;
}
