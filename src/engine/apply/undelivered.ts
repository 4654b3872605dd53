import { behind, type ManagedFirewalls } from "../../outcome/managed-firewalls.js";
import { recordOf } from "../pass/planner.js";
import type { ApplySession } from "./apply-session.js";
import { isConflict, saveRecord } from "./save-record.js";

/**
 * Forgets the places of rows that left the ledger once no firewall that they reach lacks anything of ours (docs/manager.md#push). It has no
 * lock: where another run wrote meanwhile, what that one knows holds.
 */
export async function recordDelivered(session: ApplySession, firewalls: ManagedFirewalls | undefined): Promise<void> {
  const old = recordOf(session.ledger);
  if (old?.undelivered === undefined || session.context.options.only !== undefined || firewalls === undefined) return;
  const late = behind(firewalls).filter(({ lacksOnlyOf }) => lacksOnlyOf === undefined);
  if (firewalls.failure !== undefined || late.length > 0) return;
  const { undelivered: _gone, ...record } = old;
  try {
    await saveRecord(session, record, { rebases: false });
  } catch (error) {
    if (!isConflict(error)) session.warnings.push(error instanceof Error ? error.message : String(error));
  }
}
