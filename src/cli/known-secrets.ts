import { PlumblineError } from "../core/errors.js";
import type { Configuration } from "../desired/configuration.js";
import { readCheckout } from "../engine/checkout.js";
import { openLedgerStore } from "../engine/ledger/open.js";
import { StoredLedger } from "../engine/ledger/stored-ledger.js";
import type { LedgerState } from "../engine/ledger.js";
import { protectKnownSecrets } from "../engine/pass/known-secrets.js";
import type { ReadTarget } from "../engine/target.js";
import type { Context } from "./context.js";
import { type GlobalOptions, stateFolder } from "./options.js";

interface Flags extends GlobalOptions {
  readonly ledger?: string;
}

/** For commands that print what a target shows: what the ledger knows as secrets, `target` reads as such. Says where no ledger can be read. */
export async function protectByLedger(target: ReadTarget, whole: Configuration, flags: Flags, context: Context): Promise<void> {
  const own = await ledgerOf(target.name, whole, flags, context);
  if (own.state === "present") protectKnownSecrets(target, own.record);
  if (own.state !== "unreadable") return;
  context.stderr.write(`${target.name}: the ledger cannot be read, so secrets that the target shows in plain text show: ${own.reason}\n`);
}

async function ledgerOf(target: string, { folder, owner }: Configuration, flags: Flags, context: Context): Promise<LedgerState> {
  try {
    const store = openLedgerStore(flags.ledger, await readCheckout(folder), stateFolder(flags, context));
    return await new StoredLedger(store).read(owner, target);
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return { state: "unreadable", reason: error.message };
  }
}
