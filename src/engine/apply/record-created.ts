import { isDeepStrictEqual } from "node:util";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import { recordOf } from "../pass/planner.js";
import type { LedgerSession } from "./apply-session.js";
import { saveRecord } from "./save-record.js";
import { rememberUnansweredAt, unansweredRequests } from "./unanswered-requests.js";

/**
 * Records the ids that creates returned, and the requests without a reply, before any other wait or read. This run and later ones can then
 * query an object by id if a list omits it. Does not write if there are no new ids or requests, or if the platform has no queries by id.
 */
export async function recordCreated(session: LedgerSession): Promise<void> {
  const old = recordOf(session.ledger.current);
  const { ids } = session.target;
  if (old === undefined || (ids?.hidden === undefined && session.ledger.unanswered.size === 0)) return;
  const made: Record<string, OwnershipRow> = {};
  for (const path of session.ledger.touched.keys()) {
    const id = ids?.idOf(parsePath(path));
    const row = old.rows?.[path];
    if (id !== undefined && id !== row?.id) made[path] = { ...row, id };
  }
  const unanswered = unansweredRequests(session, old);
  if (Object.keys(made).length === 0 && isDeepStrictEqual(unanswered, old.unanswered)) return;
  const access = old.access ?? (await ids?.access?.());
  await session.step("ledger-made", () => saveRecord(session, { ...old, rows: { ...old.rows, ...made }, access, unanswered }));
}

/**
 * Records requests without a reply that would restore objects at these places: a later run may find that they are executed while it writes.
 * Does not write if another run has taken over, because that run has the ledger.
 */
export async function recordLost(session: LedgerSession, places: readonly Path[], error: unknown): Promise<void> {
  rememberUnansweredAt(
    session,
    places.map((path) => path.toString()),
  );
  if (!isLeaseLost(error) && session.lease?.lost === undefined) await recordCreated(session);
}
