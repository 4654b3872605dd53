import { dirname } from "node:path";
import { sleep as systemSleep } from "../core/clock.js";
import { PlumblineError } from "../core/errors.js";
import { loadConfiguration } from "../desired/load.js";
import { type ActiveRuns, waitForRuns } from "../engine/active-runs.js";
import { readCheckout } from "../engine/checkout/checkout.js";
import { LeasePlace } from "../engine/lease/lease-place.js";
import { UnchangedSince } from "../engine/lease/unchanged-since.js";
import { ledgerPlace, openLedger } from "../engine/ledger/open-ledger.js";
import { thisMachine } from "../engine/pass/machine.js";
import { kinds } from "../targets/registry.js";
import { allowedCommands } from "./allowed-commands.js";
import type { Context } from "./context.js";
import { readersFor } from "./open-targets.js";
import { findConfiguration, type GlobalOptions, stateFolder } from "./options.js";
import { storeLedgers } from "./store-ledgers.js";
import { openSession } from "./terminal.js";

/**
 * Prints runs that began to write before the pause, and waits for them. Returns targets whose runs are unknown.
 * @throws PlumblineError `still-writing` for a run that has not ended within `wait` milliseconds.
 */
export async function waitForActiveRuns(
  flags: GlobalOptions & { readonly ledger?: string },
  context: Context,
  target: string | undefined,
  wait: number,
): Promise<readonly ActiveRuns[]> {
  const { environment, stop, sleep = systemSleep } = context;
  const session = openSession(flags, context);
  const file = findConfiguration(flags, context);
  const load = { environment, mayRun: allowedCommands(flags, context), kinds };
  const names = target === undefined ? [] : [target];
  const configuration = await loadConfiguration(file, { ...load, targets: names }).catch((error: unknown) => asWords(error));
  if (typeof configuration === "string") return [{ target: target ?? "every target", runs: undefined, unknown: configuration }];
  const wanted = [...configuration.targets.values()].filter(({ name }) => target === undefined || name === target);
  const state = stateFolder(flags, context);
  const stores = storeLedgers(flags, context);
  const place = await ledgerPlace(flags.ledger ?? configuration.ledger, configuration.store, stores);
  const { leases } = await openLedger(place, await readCheckout(dirname(file)), state, stores);
  const machine = { ...thisMachine, now: () => context.now().getTime() };
  const left = await waitForRuns(wanted, {
    connect: readersFor(session.logger).reader,
    machine,
    leases: new LeasePlace(leases, configuration.owner),
    seen: new UnchangedSince(state, machine),
    sleep: (milliseconds) => sleep(milliseconds, stop),
    wait,
    report: ({ target: name, runs = [] }) => context.stderr.write(`${name}: ${runs.join(", ")} is still writing; waiting for it.\n`),
  });
  const writing = left.filter(({ runs }) => runs !== undefined);
  if (writing.length > 0) throw stillWriting(writing);
  return left;
}

function stillWriting(writing: readonly ActiveRuns[]): PlumblineError {
  const list = writing.map(({ target, runs = [] }) => `${target}: ${runs.join(", ")}`).join("; ");
  return new PlumblineError("still-writing", `The pause is active, and no new run writes. Still writing: ${list}`, {
    where: { target: writing[0]?.target },
    next: "Repeat the command to wait longer (--wait 10m), or end that run. `plumbline status` shows its lock.",
    severity: "partial",
  });
}

function asWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
