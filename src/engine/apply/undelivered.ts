import { behind, type ManagedFirewalls } from "../../outcome/managed-firewalls.js";
import { recordOf } from "../pass/planner.js";
import type { LedgerSession } from "./apply-session.js";
import { isConflict, saveRecord } from "./save-record.js";

/**
 * Removes the undelivered places from the ledger once every firewall that they reach has all our changes (docs/manager.md#push). The run
 * has no lock: if another run wrote in the meantime, the record of that run wins.
 */
export async function recordDelivered(session: LedgerSession, firewalls: ManagedFirewalls | undefined): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old?.undelivered === undefined || session.context.options.selection.only !== undefined || firewalls === undefined) return;
  const late = behind(firewalls).filter(({ lacksOnlyOf }) => lacksOnlyOf === undefined);
  if (firewalls.failure !== undefined || late.length > 0) return;
  const { undelivered: _gone, ...record } = old;
  try {
    await saveRecord(session, record, { rebases: false });
  } catch (error) {
    if (!isConflict(error)) session.warnings.push(error instanceof Error ? error.message : String(error));
  }
}
