import { join } from "node:path";
import { type Git, gitIn } from "../checkout/git.js";
import type { Checkout } from "../checkout.js";
import { BundleStore } from "./bundle-store.js";
import { fileDocument, urlDocument } from "./document.js";
import { FolderStore } from "./folder-store.js";
import { GitStore } from "./git-store.js";
import type { LedgerStore } from "./store.js";

/** The place of ledgers itself. `git` works in the checkout; one of the process's own rights when undefined. */
export function openLedgerStore(place: string | undefined, checkout: Checkout, stateFolder: string, git?: Git): LedgerStore {
  if (place !== undefined) return new BundleStore(/^https?:\/\//i.test(place) ? urlDocument(place) : fileDocument(place));
  if (checkout.root !== undefined) return new GitStore(git ?? gitIn(checkout.root), checkout.remote);
  return new FolderStore(join(stateFolder, "ledger"));
}
