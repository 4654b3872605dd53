import { PlumblineError } from "../core/errors.js";
import type { Configuration } from "../desired/configuration/configuration.js";
import { readCheckout } from "../engine/checkout/checkout.js";
import type { LedgerState } from "../engine/ledger/ledger.js";
import { ledgerPlace, openLedger } from "../engine/ledger/open-ledger.js";
import { protectKnownSecrets } from "../engine/pass/known-secrets.js";
import type { ReadTarget } from "../engine/target.js";
import type { Context } from "./context.js";
import { type GlobalOptions, stateFolder } from "./options.js";
import { storeLedgers } from "./store-ledgers.js";

interface Flags extends GlobalOptions {
  readonly ledger?: string;
}

/** Marks the secrets that the ledger knows, so that commands do not print them. Warns if the ledger cannot be read. */
export async function protectByLedger(target: ReadTarget, configuration: Configuration, flags: Flags, context: Context): Promise<void> {
  const own = await ledgerOf(target.name, configuration, flags, context);
  if (own.state === "present") protectKnownSecrets(target, own.record);
  if (own.state !== "unreadable") return;
  context.stderr.write(
    `${target.name}: the ledger cannot be read, so secrets that the target returns in plain text are visible: ${own.reason}\n`,
  );
}

/** Reads the ledger of a target. Unreadable if its place cannot be opened. */
export async function ledgerOf(target: string, configuration: Configuration, flags: Flags, context: Context): Promise<LedgerState> {
  const { folder, owner, store } = configuration;
  try {
    const stores = storeLedgers(flags, context);
    const place = await ledgerPlace(flags.ledger ?? configuration.ledger, store, stores);
    const { ledger } = await openLedger(place, await readCheckout(folder), stateFolder(flags, context), stores);
    return await ledger.read(owner, target);
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return { state: "unreadable", reason: error.message };
  }
}
