import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { ApplySession, LedgerSession, TargetSession } from "../apply/apply-session.js";
import { formatRun } from "../apply/lock-mark.js";
import { operationsDigest } from "../apply/operations-digest.js";
import { recordWatch } from "../apply/record-watch.js";
import { snapshotName } from "../apply/snapshot-name.js";
import type { Announced } from "../apply/states.js";
import { commitPrefix } from "../commit.js";
import { type Planned, recordOf } from "../pass/planner.js";
import { pendingOn } from "../pending-and-locks.js";
import { targetTime } from "./clock.js";
import { differenceRows } from "./difference-rows.js";
import type { OpenWatch, WrittenRow } from "./open-watch.js";
import { refusedState } from "./refused-state.js";
import { readsOf, reopened, type TouchedRow, touchedRows, writtenRows } from "./rows.js";

/** Whether a commit of this plan is to be watched. */
export function isWatched(session: TargetSession, { plan }: Planned): boolean {
  return (
    session.context.desired.checks !== undefined && session.facts.capabilities.candidate && (plan.operations.length > 0 || plan.commitOnly)
  );
}

/** Warns if checks are declared for a target without commits. Its writes cannot be rolled back. */
export function warnOfIdleChecks({
  context,
  warnings,
  facts: { capabilities },
}: Pick<ApplySession, "context" | "facts" | "warnings">): void {
  if (context.desired.checks !== undefined && !capabilities.candidate)
    warnings.push("watch: and probe: are not used: changes of this target cannot be rolled back");
}

/**
 * Records the pending commit in the ledger just before it is sent, so that any later run can decide on it and roll it back. Keeps the rows
 * of an earlier commit of this run, or of an aborted run whose writes are still in the candidate.
 * @returns The subtrees that the commit changes, in their running state. Undefined after the first commit of the run.
 */
export async function beginWatch(
  session: LedgerSession,
  { confirmed, ledgerBefore, hasSnapshot }: Announced,
): Promise<TreeNode | undefined> {
  const {
    target,
    context,
    facts: { capabilities },
  } = session;
  const {
    planned: { plan, live },
    baseline,
  } = confirmed;
  const old = recordOf(session.ledger.current)?.watch;
  const earlier = old !== undefined && (session.progress.commits > 0 || !capabilities.partialRevert) ? old : undefined;
  const rows = capabilities.partialRevert ? touchedRows(session.progress.undo.sent) : await differing(session, live.subtrees);
  const all = earlier === undefined || session.progress.commits > 0 ? rows : [...reopened(earlier.written), ...rows];
  const reads = readsOf(all);
  const [running, candidate] = [await target.read(reads, "running"), await target.read(reads, "candidate")];
  const written = writtenRows(unique(all), running, candidate, target.shape);
  const watch: OpenWatch = {
    run: formatRun(session.run),
    digest: plan.digest,
    commit: context.checkout.dirty ? undefined : context.checkout.commit,
    operations: session.progress.commits > 0 && earlier !== undefined ? earlier.operations : operationsDigest(plan),
    wish: {
      ...(session.progress.commits > 0 ? earlier?.wish : undefined),
      ...refusedState(plan.changes, context.desired.root, target.shape),
    },
    checks: context.desired.checks ?? { watches: [], probes: [] },
    snapshot: earlier?.snapshot ?? snapshotName(session, plan.digest),
    written: session.progress.commits > 0 ? joined(earlier?.written ?? [], written) : written,
    description: commitPrefix(session, plan.digest),
    asked: earlier?.asked ?? (await targetTime(session)),
    baseline: baseline?.counts ?? [],
    ...(baseline === undefined || baseline.failed.length === 0 ? {} : { failedBefore: baseline.failed }),
    before: earlier?.before ?? ledgerBefore,
  };
  if (!hasSnapshot)
    session.warnings.push("the target saves no configurations: if this run is killed while it watches, its commit cannot be rolled back");
  await recordWatch(session, watch);
  return session.progress.commits === 0 ? running : undefined;
}

/** Reads the differences that the commit will apply. Without partial revert, the candidate may also contain writes of an aborted run. */
async function differing(
  { target, facts: { administrator, capabilities } }: TargetSession,
  subtrees: readonly Path[],
): Promise<TouchedRow[]> {
  const [running, candidate] = [await target.read(subtrees, "running"), await target.read(subtrees, "candidate")];
  const pending = capabilities.changeList ? await pendingOn(target) : [];
  const ofOthers = pending.filter(({ owner }) => owner !== administrator).map(({ xpath }) => parsePath(xpath));
  return differenceRows(running, candidate, target.shape, ofOthers);
}

function unique<Row extends { readonly kind: string; readonly at: unknown }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [`${row.kind} ${String(row.at)}`, row])).values()];
}

/** The later row of a node wins. */
function joined(earlier: readonly WrittenRow[], later: readonly WrittenRow[]): WrittenRow[] {
  return unique([...earlier, ...later]);
}
