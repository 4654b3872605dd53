import { isDeepStrictEqual } from "node:util";
import { PlumblineError } from "../../core/errors.js";
import { readJson } from "../../core/json/read-json.js";
import type { Checks } from "../../desired/checks.js";
import { isSnapshotName } from "../apply/snapshot-name.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { TargetContext } from "../pass/context.js";
import type { OpenWatch } from "./open-watch.js";

/**
 * Refuses an open watch of the ledger that does not come from an accepted commit. A forged watch could restore an older configuration or
 * send probes to any address. So its checks must match the documents at its commit or the current ones, and its saved configuration must
 * have a name that runs use.
 * @throws PlumblineError `watch-unproven` (refused)
 */
export async function refuseUnprovenWatch(record: LedgerRecord | undefined, context: TargetContext): Promise<void> {
  const open = record?.watch;
  if (open === undefined || context.checkout.commit === undefined) return;
  const isNamedByRun = isSnapshotName(open.snapshot);
  if (isNamedByRun && (await areChecksDeclared(open, context))) return;
  const what = isNamedByRun ? "checks that no accepted commit declares" : "a saved configuration that no run made";
  throw new PlumblineError("watch-unproven", `The ledger has an open commit check with ${what}.`, {
    where: { target: context.name },
    next: `Find out who wrote the ledger. If the device runs the expected configuration, \`plumbline adopt ${context.name}\` ends the check.`,
    severity: "refused",
  });
}

async function areChecksDeclared({ checks, commit }: OpenWatch, { desired, name, records: { history } }: TargetContext): Promise<boolean> {
  if (isSame(desired.checks, checks)) return true;
  if (commit === undefined) return false;
  const former = await history.at(commit, name);
  return "desired" in former && isSame(former.desired?.checks, checks);
}

/** Compares as JSON, because the ledger omits undefined values. */
function isSame(declared: Checks | undefined, noted: Checks): boolean {
  const plain = (value: unknown): unknown => readJson(JSON.stringify(value ?? { watches: [], probes: [] }));
  return isDeepStrictEqual(plain(declared), plain(noted));
}
