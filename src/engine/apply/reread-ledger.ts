import { refuseOtherDevice } from "../device-identity.js";
import { encodeRecord } from "../ledger/codec.js";
import type { LedgerRecord, LedgerState } from "../ledger/ledger.js";
import { type Planned, recordOf } from "../pass/planner.js";
import { refuseUnprovenWatch } from "../watch/refuse-unproven-watch.js";
import type { ApplySession, LedgerSession, TargetSession } from "./apply-session.js";

/**
 * Reads the ledger again under the lock, because the plan must be made from the latest record of earlier runs.
 * Returns true if the ledger has changed.
 * @throws PlumblineError `other-device`, `watch-unproven` (both refused)
 */
export async function rereadLedger(session: LedgerSession): Promise<boolean> {
  const { context, ledger } = session;
  const now = await context.records.ledger.read(context.owner, context.name);
  if (now.state === "unreadable" || !isAnotherLedger(now, ledger.current)) return false;
  await refuseUntrusted(recordOf(now), session);
  ledger.current = now;
  return true;
}

/**
 * Repeats the checks of the first read for a record that was read later: another writer may have replaced it.
 * @throws PlumblineError `other-device`, `watch-unproven` (both refused)
 */
export async function refuseUntrusted(record: LedgerRecord | undefined, { context, facts: { device } }: TargetSession): Promise<void> {
  refuseOtherDevice(record, device, context.name);
  await refuseUnprovenWatch(record, context);
}

/** Returns true if the ledger changed after the plan was made. */
export function isAnotherLedger(now: LedgerState, planned: LedgerState): boolean {
  if (now.state === "present" && planned.state === "present" && now.record === planned.record) return false;
  return textOf(now) !== textOf(planned);
}

/**
 * Returns true if a record made from this plan would lose rows that another run announced. That run may still create the
 * objects, so such rows are removed only under the lock, after another read.
 */
export function forgetsAnnounced({ ledger }: Pick<ApplySession, "ledger">, { plan }: Planned): boolean {
  const announced = recordOf(ledger.current)?.announced ?? [];
  if (announced.length === 0) return false;
  const owned = new Set(plan.owns);
  return announced.some((path) => !owned.has(path));
}

function textOf(ledger: LedgerState): string {
  return ledger.state === "present" ? encodeRecord(ledger.record) : ledger.state;
}
