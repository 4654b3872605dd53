import { find } from "../core/tree/lookup.js";
import { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { formatRun, newRun } from "./apply/lock-mark.js";
import { lastApplied } from "./apply/record.js";
import { belongsElsewhere, type Device, deviceOf, devicesAfter, refuseOtherDevice } from "./device-identity.js";
import { namesDevice, refuseDeviceOfOthers, withoutRows } from "./device-in-other-ledgers.js";
import { claimDevice } from "./device-registry.js";
import type { LedgerRecord } from "./ledger/ledger.js";
import { adoptedRows } from "./ledger/row-facts.js";
import type { TargetContext } from "./pass/context.js";
import { refuseOlderAdoption } from "./pass/newer-values.js";
import { consultLedgers, loginOf, openTarget, requestFor } from "./pass/opened-target.js";
import type { PassOptions, Readers } from "./pass/options.js";
import { type Planned, readAndPlan, recordOf } from "./pass/planner.js";
import { runTargets, startPass } from "./pass/run-targets.js";
import { allSecretLeaves, desiredSecrets, keptSecrets } from "./pass/secret-leaves.js";
import type { ReadTarget } from "./target.js";

/** Result of `adopt` for one target. */
export interface Adoption {
  readonly outcome: TargetOutcome;
  /** The ledger that was written. Undefined if the target failed. */
  readonly record: LedgerRecord | undefined;
  /** Paths of the ledger that exist on the target, below `--path` if it was given. */
  readonly found: readonly string[];
}

/**
 * `plumbline adopt`: writes only the ledger. Declared objects become managed, and exclusive lists count as adopted. Secrets that the ledger
 * knows are accepted in their current stored form, for example after a new master key. Unknown secrets stay unknown.
 */
export async function adoptTargets(options: PassOptions, readers: Readers): Promise<Adoption[]> {
  const records = new Map<string, LedgerRecord>();
  const found = new Map<string, readonly string[]>();
  const allow = new Map([...options.overrides.allow, ["master-key", ""]]);
  const outcomes = await runTargets(
    await startPass(
      { ...options, overrides: { ...options.overrides, allow }, selection: { ...options.selection, acceptKnownAfterApply: true } },
      readers,
    ),
    readers.reader,
    async (target, context, draft) => {
      const opened = await openTarget(target, context, draft);
      const { capabilities } = opened;
      const ledgers = await consultLedgers(target, context, "candidate", loginOf(context), draft);
      const known = recordOf(ledgers.ledger);
      await refuseOlderAdoption(known, context);
      await claimDevice(context, opened, known);
      const isOther = belongsElsewhere(known?.devices, deviceOf(opened));
      // With a path only a part would be taken over, and the rows of the other device would be lost.
      if (isOther && options.selection.only !== undefined) refuseOtherDevice(known, deviceOf(opened), context.name);
      const request = requestFor(isOther ? { ...ledgers, ledger: { state: "missing" } } : ledgers, opened);
      const planned = await readAndPlan(target, capabilities, context, request);
      const devices = devicesAfter(isOther ? undefined : known?.devices, deviceOf(opened));
      const commit = await lastApplied(context, known);
      const record = { ...recordFor(target, context, planned, isOther ? carriedOver(known) : known), commit, devices };
      await context.records.ledger.write(record);
      if (!namesDevice(known?.devices, deviceOf(opened))) await leaveToOther(context, deviceOf(opened), record);
      records.set(context.name, record);
      found.set(
        context.name,
        record.paths.filter((path) => isFound(parsePath(path), planned, options.selection.only)),
      );
    },
  );
  return outcomes.map((outcome) => ({ outcome, record: records.get(outcome.target), found: found.get(outcome.target) ?? [] }));
}

/**
 * Checks the ledgers of other targets after this ledger has named the device, as a run does (`save-record.ts`).
 * @throws PlumblineError `device-twice` (refused)
 */
async function leaveToOther(context: TargetContext, device: Device, record: LedgerRecord): Promise<void> {
  try {
    await refuseDeviceOfOthers(context, device);
  } catch (error) {
    await context.records.ledger.write(withoutRows(record));
    throw error;
  }
}

function isFound(path: Path, { live }: Planned, only: Path | undefined): boolean {
  return (only === undefined || only.contains(path)) && find(live.candidate, path) !== undefined;
}

/** Returns the part of a ledger that is kept when another device replaces the former one: no data about its objects. */
function carriedOver(known: LedgerRecord | undefined): LedgerRecord | undefined {
  return known === undefined ? undefined : { ...withoutRows(known), commit: known.commit };
}

function recordFor(
  target: ReadTarget,
  context: TargetContext,
  { plan, live }: Planned,
  old: LedgerRecord | undefined,
): Omit<LedgerRecord, "commit"> {
  const { desired, options, owner, name, checkout } = context;
  const lists = desired.exclusive.filter((list) => options.selection.only === undefined || options.selection.only.contains(list));
  const known = new Set(old?.paths);
  const left = new Set(plan.findings.filter(({ kind }) => kind === "only-found").map(({ path }) => path.toString()));
  const proof = {
    live: live.candidate,
    shape: target.shape,
    written: new Map<string, boolean>(),
    looksAgain: true,
    only: options.selection.only,
    writer: { run: formatRun(newRun(options.machine)), commit: checkout.commit },
    idOf: (path: Path) => target.ids?.idOf(path),
  };
  /** Undeclared rows are adopted only with `--path`. */
  const isMeant = (row: string) => !left.has(row) || options.selection.only !== undefined;
  const isThere = (row: string) => find(live.candidate, parsePath(row)) !== undefined;
  const seen = plan.owns.filter((row) => known.has(row) || isThere(row));
  const owned = new Set(seen);
  // A concurrent run may be about to create these objects, or has created them since the read. Adopt takes no lock, so it must keep them.
  const announced = old?.announced?.filter((row) => !owned.has(row) || !isThere(row)) ?? [];
  const paths = [...new Set([...seen, ...announced])].sort();
  return {
    owner,
    target: name,
    paths,
    announced: announced.length === 0 ? undefined : announced,
    rows: adoptedRows(seen.filter(isMeant), paths, old, proof),
    adopted: [...new Set([...(old?.adopted ?? []), ...lists.map(String)])],
    secrets: secretsFor(context, live.candidate, old),
    deletes: old?.deletes,
    // The live state is accepted, so no check stays open. Changes that checks rolled back stay refused.
    refused: old?.refused,
    merged: old?.merged,
    unanswered: old?.unanswered,
    snapshots: old?.snapshots,
  };
}

function secretsFor(
  { desired, options, records: { fingerprints } }: TargetContext,
  live: Planned["live"]["candidate"],
  old: LedgerRecord | undefined,
): LedgerRecord["secrets"] {
  const leaves = allSecretLeaves(live);
  const secrets: Record<string, { plain: string; stored: string }> = {};
  const isMeant = (path: string) => options.selection.only === undefined || options.selection.only.contains(parsePath(path));
  for (const [path, known] of Object.entries(old?.secrets ?? {})) if (!isMeant(path)) secrets[path] = known;
  for (const path of keptSecrets(desired.root)) {
    const leaf = leaves.get(path);
    if (leaf !== undefined && isMeant(path)) secrets[path] = fingerprints.kept(path, leaf);
  }
  for (const [path, ours] of desiredSecrets(desired.root, Path.root.child(desired.root.tag))) {
    if (!isMeant(path)) continue;
    const leaf = leaves.get(path);
    if (leaf !== undefined && old?.secrets[path]?.plain === fingerprints.of(path, "plain", ours))
      secrets[path] = fingerprints.pair(path, ours, leaf);
  }
  return secrets;
}
