import { isDeepStrictEqual } from "node:util";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import { recordOf } from "../pass/planner.js";
import type { ApplySession } from "./apply-session.js";
import { saveRecord } from "./save-record.js";
import { rememberUnansweredAt, unansweredRequests } from "./unanswered-requests.js";

/**
 * Ids that creates answered, before anything else is waited for or read: what a list leaves out from then on is asked for by its id,
 * by this run and by those after it; and what got no reply. Nothing is written where nothing was made, or where the platform cannot be
 * asked by ids.
 */
export async function recordMade(session: ApplySession): Promise<void> {
  const old = recordOf(session.ledger);
  const { ids } = session.target;
  if (old === undefined || (ids?.hidden === undefined && session.unanswered.size === 0)) return;
  const made: Record<string, OwnershipRow> = {};
  for (const path of session.touched.keys()) {
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
 * What puts something back at these places got no reply, `error`: a later run may find that it was carried out while it writes. Whoever works
 * in our place by now has the ledger.
 */
export async function recordLost(session: ApplySession, places: readonly Path[], error: unknown): Promise<void> {
  rememberUnansweredAt(
    session,
    places.map((path) => path.toString()),
  );
  if (!isLeaseLost(error) && session.lease?.lost === undefined) await recordMade(session);
}
