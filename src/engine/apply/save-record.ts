import { isDeepStrictEqual } from "node:util";
import { PlumblineError } from "../../core/errors.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { namesDevice, refuseDeviceOfOthers, withoutRows } from "../device-in-other-ledgers.js";
import { encodeRecord } from "../ledger/codec.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { isDecided, rebasedRecord } from "../ledger/rebase.js";
import { containerOf } from "../live.js";
import { recordOf } from "../pass/planner.js";
import type { ApplySession, LedgerSession } from "./apply-session.js";
import { refuseUntrusted } from "./reread-ledger.js";

/** Each concurrent run writes the ledger once or twice. */
const ATTEMPTS = 10;

/**
 * Writes the ledger if the record changed. Once this run has changed the target, its record is a fact: after a conflict it is
 * merged into the record of the other writer, and never dropped.
 * @param rebases False if the record is only valid for the ledger that this run read.
 * @throws PlumblineError `ledger-conflict` if this run has changed nothing yet, `lease-lost` if another run has taken over,
 * `other-device` if the ledger was adopted for another device, `watch-unproven` if its open commit check is not trusted,
 * `watch-decided` if another run has already decided on the watched commit, `device-twice` if the ledger of another target names the device.
 */
export async function saveRecord(session: LedgerSession, wanted: LedgerRecord, { rebases = true } = {}): Promise<void> {
  const { context } = session;
  const old = recordOf(session.ledger.current);
  const record = withUndelivered(session, old, wanted);
  const isUnwritten = session.ledger.current.state === "present" && session.ledger.current.isUnwritten === true;
  if (old !== undefined && !isUnwritten && JSON.stringify(sorted(old)) === JSON.stringify(sorted(record))) return;
  // An open watch belongs to a commit that is in effect, whichever run sent it.
  const isFact =
    rebases &&
    (session.progress.commits > 0 || session.progress.operations > 0 || session.progress.hasLostReply || old?.watch !== undefined);
  let next = record;
  for (let attempt = 1; ; attempt++) {
    try {
      await context.records.ledger.write(next);
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
  session.ledger.current = { state: "present", record: next };
  if (!namesDevice(old?.devices, session.facts.device)) await refuseSharedDevice(session, next);
}

/**
 * Checks the ledgers of other targets after this ledger has named the device. If two first runs overlap, at least one of them then sees the
 * other. A run that has changed nothing yet leaves the device to the other target.
 * @throws PlumblineError `device-twice` (refused)
 */
async function refuseSharedDevice(session: LedgerSession, record: LedgerRecord): Promise<void> {
  const {
    context,
    facts: { device },
  } = session;
  try {
    await refuseDeviceOfOthers(context, device);
  } catch (error) {
    if (session.progress.operations === 0 && session.progress.commits === 0 && !session.progress.hasLostReply) {
      const nothing = withoutRows(record);
      await context.records.ledger.write(nothing);
      session.ledger.current = { state: "present", record: nothing };
    }
    throw error;
  }
}

/** Notes removed rows of a manager as undelivered: firewalls keep the objects until a later run has pushed the deletion. */
function withUndelivered({ context }: Pick<ApplySession, "context">, old: LedgerRecord | undefined, record: LedgerRecord): LedgerRecord {
  const stay = new Set(record.paths);
  const removed = context.configuration.push === undefined ? [] : (old?.paths.filter((path) => !stay.has(path)) ?? []);
  if (removed.length === 0) return record;
  const places = removed.map((path) => containerOf(parsePath(path)).toString());
  return { ...record, undelivered: [...new Set([...(record.undelivered ?? []), ...places])].sort() };
}

interface Deciding {
  readonly base: LedgerRecord | undefined;
  readonly ours: LedgerRecord;
  readonly theirs: LedgerRecord;
}

/** The first decision on a commit counts. Two runs may roll back the same commit, because they do so under the lock. */
function refuseDecided(target: string, { base, ours, theirs }: Deciding): void {
  const open = base?.watch;
  if (open === undefined || open.tripped !== undefined) return;
  const isTaken = theirs.watch?.run === open.run && theirs.watch.tripped !== undefined;
  if (!isTaken && !isDecided(base, theirs)) return;
  if (isTaken && ours.watch?.tripped !== undefined) return;
  const isBack = isTaken || !isDeepStrictEqual(theirs.refused, base?.refused);
  throw new PlumblineError(
    "watch-decided",
    `Another run ${isBack ? "rolls the watched commit back" : "has confirmed the watched commit"}`,
    {
      where: { target },
      next: "Run again: its decision is valid.",
    },
  );
}

/** Returns the current record, or undefined if the ledger no longer exists. */
async function foundNow(session: LedgerSession, conflict: unknown): Promise<LedgerRecord | undefined> {
  const { context, write, lease } = session;
  if (lease?.lost !== undefined) throw lease.lost;
  write.lease?.mayWrite();
  const found = await context.records.ledger.read(context.owner, context.name);
  if (found.state === "unreadable") throw conflict;
  await refuseUntrusted(recordOf(found), session);
  return recordOf(found);
}

/** Returns true if another writer changed the ledger first. */
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
