import { find, shapeAt } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { Plan } from "../../plan/model.js";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import { printOf } from "../../plan/print.js";
import { descends } from "../checkout/checkout.js";
import { devicesAfter } from "../device-identity.js";
import { NOT_READ_BACK } from "../ledger/fingerprints.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { type Proof, rowsAfter, rowsBefore, rowsGoing, Touched } from "../ledger/row-facts.js";
import { type TargetContext, today } from "../pass/context.js";
import { type Planned, recordOf } from "../pass/planner.js";
import { allSecretLeaves, desiredSecrets, keptSecrets, writtenSecrets } from "../pass/secret-leaves.js";
import type { OpenWatch } from "../watch/open-watch.js";
import { type ApplySession, type LedgerSession, ourAccounts } from "./apply-session.js";
import { formatRun } from "./lock-mark.js";
import { saveRecord } from "./save-record.js";
import { savesSnapshot, snapshotName } from "./snapshot-name.js";
import { unansweredRequests } from "./unanswered-requests.js";

/**
 * Extends the ledger before the first write: it then holds the old and the desired rows. If the run is killed later, the ledger covers
 * every object that it created and every object that it was about to delete. Secrets are recorded with only the plain fingerprint, so that
 * the next run writes them again. Called again for each later plan of the run.
 * @param earlier Result of the former call of this run.
 * @returns The state of the ledger to restore if the first commit is rolled back.
 */
export async function recordBefore(
  session: LedgerSession & Pick<ApplySession, "writer">,
  { plan, live }: Planned,
  earlier: OpenWatch["before"] = { commit: undefined, added: [], adopted: [], secrets: {} },
): Promise<OpenWatch["before"]> {
  const old = recordOf(session.ledger.current);
  const touched = new Touched(plan.changes);
  if (old?.commit !== session.context.checkout.commit) session.ledger.bringsCommit = true;
  for (const path of old?.announced ?? []) if (!session.ledger.touched.has(path)) session.ledger.cutOff.add(path);
  session.ledger.unmarked = unmarkedIn(plan);
  const others = madeByOthers(session, old);
  const before = session.progress.commits === 0 ? rowsToRevert(old, union(earlier.added, [...others]), plan.owns, touched) : earlier;
  for (const path of touched.among(plan.owns))
    if (!session.ledger.touched.has(path))
      session.ledger.touched.set(path, find(live.candidate, touched.before(parsePath(path))) !== undefined);
  const secrets = { ...old?.secrets };
  const ours = desiredSecrets(session.context.desired.root, Path.root.child(session.context.desired.root.tag));
  for (const path of writtenSecrets(plan.operations.map(({ operation }) => operation))) {
    const secret = ours.get(path);
    if (secret !== undefined)
      secrets[path] = { plain: session.context.records.fingerprints.of(path, "plain", secret), stored: NOT_READ_BACK };
  }
  // On platforms with independent objects, an object that is deleted and recreated may be created without a reply, just like a new one.
  const made = session.facts.capabilities.independentObjects === true ? session.ledger.touched : new Map<string, boolean>();
  const coming = byThisRun(rowsBefore(plan.owns, touched, live.candidate, old, others), session);
  const announced = union(
    old?.announced ?? [],
    plan.owns.filter((path) => coming[path] !== undefined || made.get(path) === false),
  );
  const going = session.facts.capabilities.candidate ? {} : rowsGoing(plan.changes, old);
  const rows = { ...old?.rows, ...going, ...coming };
  const saved = savesSnapshot(session, plan) ? { [snapshotName(session, plan.digest)]: formatRun(session.run) } : undefined;
  await saveRecord(session, {
    ...(await base(session)),
    snapshots: saved === undefined ? old?.snapshots : { ...old?.snapshots, ...saved },
    paths: union(old?.paths ?? [], plan.owns),
    rows,
    announced,
    leaving: leavingBy(plan.owns, old),
    // The rows already hold the content of a commit that was not verified.
    unproven: session.ledger.bringsCommit ? true : old?.unproven,
    adopted: old?.adopted ?? [],
    secrets,
  });
  return before;
}

/** Adds the run and its commit. A row without a commit that declared it never causes a deletion. */
function byThisRun(
  rows: Readonly<Record<string, OwnershipRow>>,
  { run, context }: Pick<ApplySession, "context" | "run">,
): Record<string, OwnershipRow> {
  const { commit } = context.checkout;
  if (commit === undefined) return rows;
  return Object.fromEntries(Object.entries(rows).map(([path, row]) => [path, { ...row, run: formatRun(run), commit }]));
}

/**
 * Records the result after the read-back. Removes only paths that were read back as absent, and adds the fingerprints of stored secrets.
 */
export async function recordAfter(session: LedgerSession, proven: Planned, since?: string): Promise<void> {
  const old = recordOf(session.ledger.current);
  const { context } = session;
  const open = old?.watch;
  // A rollback may restore objects that a watched commit deleted. They stay in the ledger until the commit is confirmed.
  const paths = open === undefined ? proven.plan.owns : union(old?.paths ?? [], proven.plan.owns);
  const adopted =
    context.options.selection.only === undefined ? union(old?.adopted ?? [], context.desired.exclusive.map(String)) : (old?.adopted ?? []);
  const watch = open === undefined ? undefined : { ...open, since: open.since ?? since };
  const refused = open === undefined ? refusedAfter(session) : old?.refused;
  const secrets = secretsAfter(session, proven);
  const rows = rowsAfter(paths, old, proofOf(session, proven));
  keepCreates(session, proven.plan);
  // Objects that this token may not see must not look deleted to a token with more rights.
  const access = proven.plan.leftOut.length > 0 ? old?.access : ((await session.target.ids?.access?.()) ?? old?.access);
  const unproven = isProofOfAll(session, old) ? undefined : old?.unproven;
  const leaving = open === undefined ? undefined : old?.leaving;
  await saveRecord(session, {
    ...(await base(session)),
    devices: devicesAfter(old?.devices, session.facts.device),
    paths,
    rows,
    leaving,
    adopted,
    secrets,
    access,
    stuck: undefined,
    unproven,
    watch,
    refused,
  });
}

/**
 * Records the state after a part of the plan failed. Rows of objects that were read back as wanted are updated, so that no run takes them
 * for changes of another administrator. Removes no row.
 */
export async function recordReadBack(session: LedgerSession, proven: Planned): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old === undefined) return;
  const open = new Touched(proven.plan.changes);
  const known = new Set(old.paths);
  const paths = proven.plan.owns.filter((path) => {
    const at = parsePath(path);
    return known.has(path) && !open.has(at) && find(proven.live.candidate, at) !== undefined;
  });
  const rows = rowsAfter(paths, old, proofOf(session, proven));
  const announced = old.announced?.filter((path) => rows[path] === undefined);
  const unproven = isProofOfAll(session, old) ? undefined : old.unproven;
  await saveRecord(session, { ...old, ...countedDeletes(session, old), rows: { ...old.rows, ...rows }, announced, unproven });
}

/** Keeps creates of an earlier run that was cut off, if their rows leave the ledger: they may still be executed, or were executed. */
function keepCreates({ ledger, facts: { capabilities } }: Pick<ApplySession, "facts" | "ledger">, plan: Plan): void {
  const { announced = [], rows = {} } = recordOf(ledger.current) ?? {};
  const owned = new Set(plan.owns);
  ledger.unmarked = unmarkedIn(plan);
  if (capabilities.independentObjects !== true) return;
  const isLeft = (path: string) => !owned.has(path) && !ledger.touched.has(path) && rows[path]?.came === "made";
  for (const path of announced) if (isLeft(path)) ledger.cutOff.add(path);
}

function unmarkedIn({ remaining }: Plan): ReadonlySet<string> {
  return new Set(remaining.flatMap((change) => (change.kind === "unmanaged" ? (change.ofCreate ?? []) : [])));
}

/** Rows that another commit announced are verified by a run of that commit, or by a run that wrote. */
function isProofOfAll(
  { context, ledger: { bringsCommit } }: Pick<ApplySession, "context" | "ledger">,
  old: LedgerRecord | undefined,
): boolean {
  if (context.options.selection.only !== undefined) return false;
  return bringsCommit || old?.commit === context.checkout.commit;
}

function proofOf(session: LedgerSession, { live }: Planned): Proof {
  const {
    target,
    context,
    ledger: { current, touched, bringsCommit },
    progress: { mayBeDisturbed },
  } = session;
  const { commit } = context.checkout;
  const old = recordOf(current);
  return {
    live: live.candidate,
    shape: target.shape,
    written: touched,
    only: context.options.selection.only,
    looksAgain: commit === undefined || bringsCommit || mayBeDisturbed || old?.unproven === true || commit !== old?.commit,
    writer: { run: formatRun(session.run), commit },
    idOf: (path) => target.ids?.idOf(path),
  };
}

/** Records operations that did not bring the target to the wanted state. */
export async function recordStuck(session: LedgerSession, operations: string): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old !== undefined)
    await saveRecord(session, { ...old, ...countedDeletes(session, old), stuck: { commit: session.context.checkout.commit, operations } });
}

/**
 * Records the wanted content of objects that others changed right after our write. Later runs must not treat the other administrators'
 * content as content that we left.
 */
export async function recordWanted(session: LedgerSession, changed: readonly Path[]): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old === undefined) return;
  const { context, target } = session;
  const rows: Record<string, OwnershipRow> = {};
  for (const text of old.paths) {
    const path = parsePath(text);
    const wanted = changed.some((each) => path.contains(each)) ? find(context.desired.root, path) : undefined;
    if (wanted !== undefined) rows[text] = { ...old.rows?.[text], print: printOf(wanted, shapeAt(path, target.shape)) };
  }
  const announced = old.announced?.filter((path) => rows[path] === undefined);
  await saveRecord(session, { ...old, ...countedDeletes(session, old), rows: { ...old.rows, ...rows }, announced });
}

/** Removes the names of saved configurations that this run deleted. */
export async function recordSnapshots(session: LedgerSession): Promise<void> {
  const old = recordOf(session.ledger.current);
  if (old !== undefined) await saveRecord(session, { ...old, snapshots: remainingSnapshots(session, old) });
}

function remainingSnapshots(
  { ledger: { removedSnapshots } }: Pick<ApplySession, "ledger">,
  old: LedgerRecord | undefined,
): LedgerRecord["snapshots"] {
  const left = Object.entries(old?.snapshots ?? {}).filter(([name]) => !removedSnapshots.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A rollback is over once the complete desired state is applied. A run with `--path` does not change it. */
export function refusedAfter({ ledger, context }: Pick<ApplySession, "context" | "ledger">): LedgerRecord["refused"] {
  return context.options.selection.only === undefined ? undefined : recordOf(ledger.current)?.refused;
}

/** Returns rows that our plan no longer owns. They are removed once they are read back as absent. */
function leavingBy(owns: readonly string[], old: LedgerRecord | undefined): readonly string[] | undefined {
  const stay = new Set(owns);
  const leaving = old?.paths.filter((path) => !stay.has(path)) ?? [];
  return leaving.length === 0 ? undefined : leaving;
}

/**
 * Returns rows that an earlier run announced but never verified, and whose objects another administrator changed last. That run may not
 * have created them. Applies only to platforms with a candidate, where a run that ends also reverts its changes.
 */
function madeByOthers(session: LedgerSession, old: LedgerRecord | undefined): ReadonlySet<string> {
  const {
    facts: { capabilities },
    progress: { changedBefore },
  } = session;
  const ours = ourAccounts(session);
  const theirs = changedBefore.filter(({ attribution }) => attribution !== undefined && !ours.has(attribution.admin));
  if (!capabilities.candidate || theirs.length === 0) return new Set();
  const announced = (old?.announced ?? []).filter((text) => !session.ledger.touched.has(text)).map((text) => parsePath(text));
  return new Set(announced.filter((row) => theirs.some(({ change }) => row.contains(change.path))).map(String));
}

/**
 * Returns the rows to restore after a rollback. Rows that a killed run announced become announced again, because it may have created them.
 * @param ours Rows that this run has announced so far.
 */
function rowsToRevert(
  old: LedgerRecord | undefined,
  ours: readonly string[],
  owns: readonly string[],
  touched: Touched,
): OpenWatch["before"] {
  const own = new Set(ours);
  const known = new Set(old?.paths.filter((path) => !own.has(path)));
  const announced = old?.announced?.filter((path) => known.has(path)) ?? [];
  const added = union(
    ours,
    owns.filter((path) => !known.has(path)),
  );
  const rows: Record<string, OwnershipRow> = {};
  for (const path of touched.among(union(owns, old?.paths ?? []))) {
    const row = old?.rows?.[path];
    if (row !== undefined && known.has(path)) rows[path] = row;
  }
  const before = { commit: old?.commit, added, rows, adopted: old?.adopted ?? [], secrets: old?.secrets ?? {} };
  return announced.length === 0 ? before : { ...before, announced };
}

function secretsAfter(session: Pick<ApplySession, "context" | "ledger">, { live }: Planned): LedgerRecord["secrets"] {
  const {
    desired,
    records: { fingerprints },
  } = session.context;
  const old = recordOf(session.ledger.current);
  const ours = desiredSecrets(desired.root, Path.root.child(desired.root.tag));
  const secrets: Record<string, { plain: string; stored: string }> = {};
  const kept = keptSecrets(desired.root);
  const before = Object.entries(old?.secrets ?? {}).filter(([path]) => !ours.has(path) && !kept.has(path));
  const none = ours.size === 0 && kept.size === 0 && before.length === 0;
  const leaves = none ? new Map<string, never>() : allSecretLeaves(live.running ?? live.candidate);
  for (const [path, secret] of ours) {
    const leaf = leaves.get(path);
    const known = old?.secrets[path];
    if (leaf !== undefined && session.ledger.writtenSecrets.has(path)) secrets[path] = fingerprints.pair(path, secret, leaf);
    else if (known !== undefined) secrets[path] = known;
  }
  for (const path of kept) {
    const leaf = leaves.get(path);
    const known = old?.secrets[path];
    const state = leaf === undefined ? undefined : fingerprints.keptState(old, path, leaf);
    if (leaf !== undefined && (state === "unknown" || state === "equal")) secrets[path] = fingerprints.kept(path, leaf);
    else if (known !== undefined) secrets[path] = known;
  }
  // An existing value stays a secret after its declaration is removed.
  for (const [path, known] of before) {
    const leaf = leaves.get(path);
    if (leaf !== undefined && fingerprints.knows(path, known, leaf)) secrets[path] = known;
  }
  return secrets;
}

async function base(session: LedgerSession): Promise<LedgerRecord> {
  const { owner, name } = session.context;
  const old = recordOf(session.ledger.current);
  const fresh = { owner, target: name, commit: await lastApplied(session.context, old), paths: [], adopted: [], secrets: {} };
  const snapshots = remainingSnapshots(session, old);
  return {
    ...fresh,
    // A ledger of an older version names the device only after a verified run.
    devices: old === undefined ? devicesAfter(undefined, session.facts.device) : old.devices,
    ...countedDeletes(session, old),
    stuck: old?.stuck,
    unproven: old?.unproven,
    watch: old?.watch,
    refused: old?.refused,
    merged: old?.merged,
    access: old?.access,
    snapshots,
    undelivered: old?.undelivered,
    unanswered: unansweredRequests(session, old),
  };
}

/**
 * Returns the commit of this run. A run with `--path` at a commit of another branch keeps the recorded commit, because it applies only a part:
 * with its own commit, the next complete run would restore the values that the other branch changed.
 */
export async function lastApplied({ checkout, options }: TargetContext, old: LedgerRecord | undefined): Promise<string | undefined> {
  const { folder, commit } = checkout;
  if (options.selection.only === undefined || old?.commit === undefined || commit === undefined) return commit;
  return (await descends(folder, old.commit, commit)) ? commit : old.commit;
}

export function countedDeletes(
  session: Pick<ApplySession, "context" | "ledger">,
  old: LedgerRecord | undefined,
): Pick<LedgerRecord, "deletes"> {
  const day = today(session.context);
  const count = (old?.deletes?.day === day ? old.deletes.count : 0) + session.ledger.uncountedDeletes;
  session.ledger.uncountedDeletes = 0;
  return { deletes: count === 0 ? undefined : { day, count } };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}
