import { join } from "node:path";
import type { Checkout } from "../checkout/checkout.js";
import { type Git, gitIn } from "../checkout/git.js";
import { BundleStore } from "./bundle-store.js";
import { decodeRecord, encodeRecord } from "./codec.js";
import { fileDocument, urlDocument } from "./document.js";
import { FolderStore } from "./folder-store.js";
import { GitStore, type ListingReuse } from "./git-store.js";
import { type Joining, WithHiddenRefs } from "./hidden-refs.js";
import type { Ledger } from "./ledger.js";
import { mergedRecord } from "./merge.js";
import { isNotice, joinNotices } from "./notice-text.js";
import { OneLedger } from "./one-ledger.js";
import { SharedRefs } from "./shared-refs.js";
import type { LedgerStore } from "./store.js";
import { StoredLedger } from "./stored-ledger.js";

/** Access to ledgers in the agents' store. */
export interface StoreLedgers {
  /** Returns whether several machines share the store (PostgreSQL). It is then the default place of ledgers. */
  isShared(store: string | undefined): Promise<boolean>;
  open(): Promise<LedgerStore>;
}

/** Place of the ledgers: the agents' store, git, or one document at a path or URL. */
export type LedgerPlace = "git" | "store" | { readonly document: string };

/** Returns the configured place. The default is the store if several machines share it, else git (docs/contributing/decisions.md#19-one-ledger-for-all-runners-with-the-origin-of-each-row). */
export async function ledgerPlace(
  setting: string | undefined,
  store: string | undefined,
  stores: StoreLedgers | undefined,
): Promise<LedgerPlace> {
  if (setting === "git" || setting === "store") return setting;
  if (setting !== undefined) return { document: setting };
  return (await stores?.isShared(store)) === true ? "store" : "git";
}

/** Milliseconds for which one listing of the ledgers in git serves all targets. A write from an older listing is a conflict. */
export const FRESH_LISTING = 5_000;

/**
 * Opens the ledger, leases and notices of a one-shot run. Notices are never in a store; otherwise all three have the same place. With a
 * clock, one listing serves many targets. Notices are read each time.
 */
export async function openLedger(
  place: LedgerPlace,
  checkout: Checkout,
  stateFolder: string,
  stores: StoreLedgers | undefined,
  monotonic?: () => number,
): Promise<{ readonly ledger: Ledger; readonly leases: LedgerStore; readonly notices: LedgerStore }> {
  const shared = sharedRefs(checkout, undefined, monotonic);
  const notices = openLedgerStore(typeof place === "object" ? place.document : undefined, checkout, stateFolder, { shared });
  if (place !== "store") {
    const reuse = monotonic === undefined ? undefined : { age: FRESH_LISTING, monotonic };
    const leases = place === "git" ? openLedgerStore(undefined, checkout, stateFolder, { reuse, shared }) : notices;
    return { ledger: new StoredLedger(leases), leases, notices };
  }
  if (stores === undefined) throw new Error("this run knows of no store");
  const store = await stores.open();
  return { ledger: new OneLedger({ place: () => store, former: () => notices, formerName: "git" }), leases: store, notices };
}

/** Git access of a process that runs for long: its own credentials, and one listing for many targets. */
export interface GitAccess {
  readonly git?: Git | undefined;
  readonly reuse?: ListingReuse | undefined;
  /** Connection to the remote for all stores of the process. */
  readonly shared?: SharedRefs | undefined;
}

/** Returns the connection to the remote of a checkout. Undefined if there is no remote. */
export function sharedRefs({ root, remote }: Checkout, git?: Git, monotonic?: () => number): SharedRefs | undefined {
  return root === undefined || remote === undefined ? undefined : new SharedRefs(git ?? gitIn(root), remote, monotonic);
}

/** Opens the configured document; by default git, or the state folder if the desired state is not in a git repository. */
export function openLedgerStore(setting: string | undefined, checkout: Checkout, stateFolder: string, access: GitAccess = {}): LedgerStore {
  if (setting !== undefined && setting !== "git" && setting !== "store")
    return new BundleStore(/^https?:\/\//i.test(setting) ? urlDocument(setting) : fileDocument(setting));
  if (checkout.root !== undefined) return gitLedgers(access.git ?? gitIn(checkout.root), checkout.remote, access);
  return new FolderStore(join(stateFolder, "ledger"));
}

function gitLedgers(git: Git, remote: string | undefined, { reuse, shared }: GitAccess): LedgerStore {
  const ledgers = new GitStore(git, remote, reuse, shared);
  return remote === undefined ? ledgers : new WithHiddenRefs(ledgers, new GitStore(git, undefined, reuse ?? ONCE), git, JOINING);
}

/** If there is a remote, no process writes the local refs: a run lists them once. */
const ONCE: ListingReuse = { age: Number.POSITIVE_INFINITY, monotonic: () => 0 };

/** Local refs that are neither ledgers nor notices belong to runs that have ended. */
const JOINING: Joining = {
  counts: ({ target }) => !target.startsWith(":") || isNotice(target),
  join: ({ target }, own, hidden) =>
    isNotice(target) ? joinNotices(own, hidden) : encodeRecord(mergedRecord(decodeRecord(own), decodeRecord(hidden))),
};
