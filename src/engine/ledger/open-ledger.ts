import { join } from "node:path";
import { type Git, gitIn } from "../checkout/git.js";
import type { Checkout } from "../checkout.js";
import type { Ledger } from "../ledger.js";
import { BundleStore } from "./bundle-store.js";
import { decodeRecord, encodeRecord } from "./codec.js";
import { fileDocument, urlDocument } from "./document.js";
import { FolderStore } from "./folder-store.js";
import { GitStore, type ListingReuse } from "./git-store.js";
import { type Joining, WithHiddenRefs } from "./hidden-refs.js";
import { mergedRecord } from "./merge.js";
import { isNotice, joinNotices } from "./notice-text.js";
import { OneLedger } from "./one-ledger.js";
import type { LedgerStore } from "./store.js";
import { StoredLedger } from "./stored-ledger.js";

/** Ledgers in the store of agents. */
export interface StoreLedgers {
  /** Several machines have the store that `store:` names (PostgreSQL): ledgers are there unless something else is said. */
  isShared(store: string | undefined): Promise<boolean>;
  open(): Promise<LedgerStore>;
}

/** `store` or `git`; else the file or URL of one document. */
export type LedgerPlace = "git" | "store" | { readonly document: string };

/** What is said of the place, else the store where several machines have it, else git (docs/adr/0023-one-ledger.md). */
export async function ledgerPlace(
  said: string | undefined,
  store: string | undefined,
  stores: StoreLedgers | undefined,
): Promise<LedgerPlace> {
  if (said === "git" || said === "store") return said;
  if (said !== undefined) return { document: said };
  return (await stores?.isShared(store)) === true ? "store" : "git";
}

/** Milliseconds that one listing of the ledgers in git serves all targets: a write from an older one is a conflict, and after a write it is made anew. */
export const FRESH_LISTING = 5_000;

/**
 * The ledger of a run by itself, the place of it and of leases, and that of notices, which is the same but where that is a store. With a
 * clock one listing serves many targets; notices are looked at anew each time.
 */
export async function openLedger(
  place: LedgerPlace,
  checkout: Checkout,
  stateFolder: string,
  stores: StoreLedgers | undefined,
  monotonic?: () => number,
): Promise<{ readonly ledger: Ledger; readonly leases: LedgerStore; readonly notices: LedgerStore }> {
  const notices = openLedgerStore(typeof place === "object" ? place.document : undefined, checkout, stateFolder);
  if (place !== "store") {
    const reuse = monotonic === undefined ? undefined : { age: FRESH_LISTING, monotonic };
    const leases = place === "git" ? openLedgerStore(undefined, checkout, stateFolder, { reuse }) : notices;
    return { ledger: new StoredLedger(leases), leases, notices };
  }
  if (stores === undefined) throw new Error("this run knows of no store");
  const store = await stores.open();
  return { ledger: new OneLedger({ place: () => store, former: () => notices, formerName: "git" }), leases: store, notices };
}

/** How a long-lived process works in a checkout: with rights of its own, and one listing for many targets. */
export interface GitAccess {
  readonly git?: Git | undefined;
  readonly reuse?: ListingReuse | undefined;
}

/** The place of ledgers beside the desired state: a document where one is said, else git, else files in the state folder. */
export function openLedgerStore(said: string | undefined, checkout: Checkout, stateFolder: string, access: GitAccess = {}): LedgerStore {
  if (said !== undefined && said !== "git" && said !== "store")
    return new BundleStore(/^https?:\/\//i.test(said) ? urlDocument(said) : fileDocument(said));
  if (checkout.root !== undefined) return gitLedgers(access.git ?? gitIn(checkout.root), checkout.remote, access.reuse);
  return new FolderStore(join(stateFolder, "ledger"));
}

function gitLedgers(git: Git, remote: string | undefined, reuse: ListingReuse | undefined): LedgerStore {
  const ledgers = new GitStore(git, remote, reuse);
  return remote === undefined ? ledgers : new WithHiddenRefs(ledgers, new GitStore(git, undefined, reuse ?? ONCE), git, JOINING);
}

/** Nobody writes to the local refs where there is a remote: a run lists them once. */
const ONCE: ListingReuse = { age: Number.POSITIVE_INFINITY, monotonic: () => 0 };

/** What no target is called and is no notice is of runs that are over. */
const JOINING: Joining = {
  counts: ({ target }) => !target.startsWith(":") || isNotice(target),
  join: ({ target }, own, hidden) =>
    isNotice(target) ? joinNotices(own, hidden) : encodeRecord(mergedRecord(decodeRecord(own), decodeRecord(hidden))),
};
