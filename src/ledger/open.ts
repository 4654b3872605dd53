import { join } from "node:path";
import { gitIn } from "../checkout/git.js";
import type { Checkout } from "../checkout.js";
import type { Ledger } from "../ledger.js";
import { BundleStore } from "./bundle-store.js";
import { fileDocument, urlDocument } from "./document.js";
import { FolderStore } from "./folder-store.js";
import { GitStore } from "./git-store.js";
import { StoredLedger } from "./stored-ledger.js";

/**
 * The ledger of this run (docs/adr/0010-ledger.md): `--ledger FILE|URL` where given; else a ref in git where the
 * desired state is in git, on its remote if it has one; else files in the state folder.
 */
export function openLedger(place: string | undefined, checkout: Checkout, stateFolder: string): Ledger {
  if (place !== undefined) {
    return new StoredLedger(new BundleStore(/^https?:\/\//i.test(place) ? urlDocument(place) : fileDocument(place)));
  }
  if (checkout.root !== undefined) return new StoredLedger(new GitStore(gitIn(checkout.root), checkout.remote));
  return new StoredLedger(new FolderStore(join(stateFolder, "ledger")));
}
