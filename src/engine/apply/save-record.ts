import { isDeepStrictEqual } from "node:util";
import { PlumblineError } from "../../core/errors.js";
import { parsePath } from "../../core/tree/xpath.js";
import { refuseOtherDevice } from "../device-identity.js";
import { encodeRecord } from "../ledger/codec.js";
import { isDecided, rebasedRecord } from "../ledger/rebase.js";
import type { LedgerRecord } from "../ledger.js";
import { containerOf } from "../live.js";
import { recordOf } from "../pass/planner.js";
import { refuseUnprovenWatch } from "../watch/refuse-unproven-watch.js";
import type { ApplySession } from "./apply-session.js";

/** Others who write beside us write once or twice each. */
const ATTEMPTS = 10;

/**
 * Writes the ledger where it says something new. Once something that we did stands on the target, its record is a fact: where others
 * wrote meanwhile it is put on what they wrote, and never dropped.
 * `rebases`: false for what holds of what we read alone.
 * @throws PlumblineError `ledger-conflict` where nothing of ours stands yet, `lease-lost` where another run works in our place,
 * `other-device` where the ledger was adopted for another device in the meantime, `watch-decided` where another run decided on the watched commit on which this one was to decide.
 */
export async function saveRecord(session: ApplySession, said: LedgerRecord, { rebases = true } = {}): Promise<void> {
  const { context } = session;
  const old = recordOf(session.ledger);
  const record = withUndelivered(session, old, said);
  const isUnwritten = session.ledger.state === "present" && session.ledger.isUnwritten === true;
  if (old !== undefined && !isUnwritten && JSON.stringify(sorted(old)) === JSON.stringify(sorted(record))) return;
  // An open watch is of a commit that stands, whichever run sent it.
  const isFact = rebases && (session.commits > 0 || session.operations > 0 || session.hasLostReply || old?.watch !== undefined);
  let next = record;
  for (let attempt = 1; ; attempt++) {
    try {
      await context.ledger.write(next);
      break;
    } catch (error) {
      if (!isConflict(error) || !isFact || attempt === ATTEMPTS) throw error;
      const found = await foundNow(session, error);
      if (found === undefined) continue;
      refuseDecided(context.name, { base: old, ours: record, theirs: found });
      next = rebasedRecord(old, record, found);
      if (encodeRecord(next) === encodeRecord(found)) break;
    }
  }
  session.ledger = { state: "present", record: next };
}

/** Where we push, firewalls have what rows that leave the ledger name until they got that it is gone: whoever comes next has to reach them. */
function withUndelivered({ context }: ApplySession, old: LedgerRecord | undefined, record: LedgerRecord): LedgerRecord {
  const stay = new Set(record.paths);
  const gone = context.configuration.push === undefined ? [] : (old?.paths.filter((path) => !stay.has(path)) ?? []);
  if (gone.length === 0) return record;
  const places = gone.map((path) => containerOf(parsePath(path)).toString());
  return { ...record, undelivered: [...new Set([...(record.undelivered ?? []), ...places])].sort() };
}

interface Deciding {
  readonly base: LedgerRecord | undefined;
  readonly ours: LedgerRecord;
  readonly theirs: LedgerRecord;
}

/** A commit is decided on once, by whoever says so first. That two runs take the same one back is no harm: they do so under the lock. */
function refuseDecided(target: string, { base, ours, theirs }: Deciding): void {
  const open = base?.watch;
  if (open === undefined || open.tripped !== undefined) return;
  const isTaken = theirs.watch?.run === open.run && theirs.watch.tripped !== undefined;
  if (!isTaken && !isDecided(base, theirs)) return;
  if (isTaken && ours.watch?.tripped !== undefined) return;
  const isBack = isTaken || !isDeepStrictEqual(theirs.refused, base?.refused);
  throw new PlumblineError(
    "watch-decided",
    `Another run of ours ${isBack ? "takes the watched commit back" : "has confirmed the watched commit"}`,
    {
      where: { target },
      next: "Run again: what it decided holds.",
    },
  );
}

/** The ledger that stands now, undefined where it is gone. */
async function foundNow({ context, lease, write, device }: ApplySession, conflict: unknown): Promise<LedgerRecord | undefined> {
  if (lease?.lost !== undefined) throw lease.lost;
  write.lease?.mayWrite();
  const found = await context.ledger.read(context.owner, context.name);
  if (found.state === "unreadable") throw conflict;
  refuseOtherDevice(recordOf(found), device, context.name);
  await refuseUnprovenWatch(recordOf(found), context);
  return recordOf(found);
}

/** Whether somebody else wrote the ledger meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof PlumblineError && error.code === "ledger-conflict";
}

function sorted(record: LedgerRecord): unknown[] {
  const secrets = Object.entries(record.secrets).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    record.commit,
    record.devices,
    [...record.paths].sort(),
    [...(record.announced ?? [])].sort(),
    [...(record.leaving ?? [])].sort(),
    record.paths.map((path) => [path, record.rows?.[path]]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    [...record.adopted].sort(),
    secrets,
    record.deletes,
    record.stuck,
    record.watch,
    record.refused,
    record.merged,
    record.access,
    record.snapshots,
    record.unanswered,
    record.undelivered,
    record.unproven,
  ];
}
