import { PlumblineError } from "../../core/errors.js";
import type { Ledger, LedgerRecord } from "./ledger.js";

/** Location and owner of a ledger. */
export interface LedgerAddress {
  readonly ledger: Ledger;
  readonly owner: string;
  readonly target: string;
}

/**
 * Moves a ledger to another target name, owner or store, and empties the old one. The new ledger is written first: if the process dies
 * between the two writes, both have the rows, and a second call completes the move.
 * @returns The number of paths that were moved
 * @throws PlumblineError `ledger-missing`, `ledger-exists` (refused), `ledger-unreadable`, and the errors of `Ledger.write`
 */
export async function moveLedger(from: LedgerAddress, to: LedgerAddress): Promise<number> {
  const record = await readRecord(from);
  if (record === undefined || record.paths.length === 0) throw missing(from);
  const present = await readRecord(to);
  if (present !== undefined && present.paths.length > 0 && !hasSamePaths(present, record)) throw exists(to, present);
  const { merged: _, ...rows } = record;
  await to.ledger.write({ ...rows, owner: to.owner, target: to.target, merged: present?.merged });
  await from.ledger.write(emptied(record));
  return record.paths.length;
}

/**
 * Empties a ledger, so that Plumbline no longer manages its objects. They stay on the target.
 * @returns The number of paths that the ledger had
 * @throws PlumblineError `ledger-missing`, `ledger-unreadable`, and the errors of `Ledger.write`
 */
export async function forgetLedger(address: LedgerAddress): Promise<number> {
  const record = await readRecord(address);
  if (record === undefined) throw missing(address);
  await address.ledger.write(emptied(record));
  return record.paths.length;
}

/** Reads a ledger. Undefined if missing. @throws PlumblineError `ledger-unreadable` */
export async function readRecord({ ledger, owner, target }: LedgerAddress): Promise<LedgerRecord | undefined> {
  const state = await ledger.read(owner, target);
  if (state.state === "present") return state.record;
  if (state.state === "missing") return undefined;
  throw new PlumblineError("ledger-unreadable", `The ledger cannot be read: ${state.reason}`, {
    where: { target },
    next: "Nothing was changed. Repair the access to the ledger, and run the command again.",
  });
}

/** Keeps the versions of former ledgers, so that these are not merged again. */
function emptied({ owner, target, merged }: LedgerRecord): LedgerRecord {
  return { owner, target, commit: undefined, paths: [], adopted: [], secrets: {}, merged };
}

function hasSamePaths(one: LedgerRecord, other: LedgerRecord): boolean {
  return one.paths.length === other.paths.length && one.paths.every((path, index) => path === other.paths[index]);
}

function missing({ owner, target }: LedgerAddress): PlumblineError {
  return new PlumblineError("ledger-missing", `${owner} has no ledger with objects for the target ${target}.`, {
    where: { target },
    next: "`plumbline ledger list` shows the ledgers of this repository.",
  });
}

function exists({ owner, target }: LedgerAddress, { paths }: LedgerRecord): PlumblineError {
  return new PlumblineError("ledger-exists", `${owner} already has a ledger with ${paths.length} paths for the target ${target}.`, {
    where: { target },
    next: "Nothing was changed. Empty that ledger first with `plumbline ledger forget`, if its objects should no longer be managed.",
    severity: "refused",
  });
}
