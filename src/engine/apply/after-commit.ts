import { PlumblineError } from "../../core/errors.js";
import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { type Attribution, type Change, UNKNOWN_ADMIN } from "../../plan/diff/change.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import { type Planned, recordOf } from "../pass/planner.js";
import type { ApplySession, LedgerSession, TargetSession } from "./apply-session.js";
import { touchedBy } from "./changed-nodes.js";
import { differingUnit } from "./differing-node.js";
import { operationsDigest } from "./operations-digest.js";
import { recordStuck, recordWanted } from "./record.js";
import { rereadLedger } from "./reread-ledger.js";
import type { Written } from "./states.js";
import { unansweredRequests } from "./unanswered-requests.js";

/** The candidate lost our changes before the commit, several times. The target restarts, or another administrator reverts our changes. */
export function candidateLost({ target }: Pick<ApplySession, "target">, times: number): PlumblineError {
  return new PlumblineError(
    "candidate-lost",
    `${times} times there was nothing to commit after a write, and the written content is missing`,
    {
      where: { target: target.name },
      next: "Check whether the device restarts, or who reverts uncommitted changes, and run again.",
    },
  );
}

/**
 * Returns true if a commit succeeded but committed nothing: all our changes are still in the candidate, and the running configuration is
 * unchanged. Some managers do this.
 */
export function hasCommittedNothing({ target }: Pick<ApplySession, "target">, { plan, live }: Planned, remaining: Planned): boolean {
  const { units } = touchedBy(plan.operations.map(({ operation }) => operation));
  const [before, now] = [live.running, remaining.live.running];
  if (before === undefined || now === undefined || units.length === 0) return false;
  if (remaining.plan.operations.length > 0 || !remaining.plan.commitOnly) return false;
  return differingUnit(before, now, units, target.shape) === undefined;
}

/** A later run tries the same changes again: they are not the cause. */
export function committedNothing({ target }: Pick<ApplySession, "target">): PlumblineError {
  return new PlumblineError("commit-failed", "The commit ended well, and all that was to be committed was still uncommitted", {
    where: { target: target.name },
    next: "Run again. An agent retries automatically. If the error persists, commit manually on the target. Managers 11.0.4 to 11.1.3 have this fault.",
  });
}

/** Returns the error that explains why the target differs after the last round, and records it in the ledger. */
export async function notConverging(session: LedgerSession, written: Written, remaining: Planned): Promise<PlumblineError> {
  const { planned } = written.announced.confirmed;
  const theirs = await changedSinceCommit(session, planned, remaining);
  const { plan } = remaining;
  if (theirs !== undefined) {
    await session.step("ledger-after", () =>
      recordWanted(
        session,
        plan.changes.map(({ path }) => path),
      ),
    );
    return theirs;
  }
  const paths = plan.changes.map((change) => change.path.toString());
  const shown = paths.slice(0, 10).join(", ") + (paths.length > 10 ? ` and ${paths.length - 10} more` : "");
  // Our commit may have removed our lock. Another run may have taken it since and overwritten our changes.
  const isOvertaken = await rereadLedger(session);
  const isLate = paths.length === 0 || session.progress.mayBeDisturbed || mayBeUnanswered(session, remaining);
  if (isOvertaken || isLate || !isOfWhatWasWritten(session, written, remaining)) {
    const what = paths.length === 0 ? "the account has uncommitted changes again" : `${paths.length} paths are not as wanted: ${shown}`;
    return new PlumblineError("late-write", `Read back after the commit, ${what}`, {
      where: { target: session.target.name, xpath: paths[0] },
      next: "Run again; an agent does so by itself. A request of a run before may have come in between.",
    });
  }
  await session.step("ledger-after", () => recordStuck(session, operationsDigest(plan)));
  return new PlumblineError("not-converging", `Read back after the commit, ${paths.length} paths are not as wanted: ${shown}`, {
    where: { target: session.target.name, xpath: paths[0] },
    next: "See `plumbline plan`: the device stores something else than was sent. The same is not sent again until git moves.",
  });
}

/**
 * Returns false if a difference may have a cause other than the target storing our write differently. Such causes: a late request of an
 * earlier run, a change by another administrator, an object that was not visible when the plan was made, an object of a service that was
 * deleted after its create, and an object that the target showed as written.
 * @internal Exported for its test.
 */
export function isOfWhatWasWritten(
  { target, facts: { capabilities } }: TargetSession,
  { announced, sent }: Written,
  remaining: Planned,
): boolean {
  const { plan } = announced.confirmed.planned;
  const { leftOut } = sent.plan;
  if (remaining.plan.changes.some(({ path }) => leftOut.some((root) => root.contains(path)))) return false;
  if (remaining.plan.changes.some(({ path }) => target.ids?.wasStored?.(path) === true)) return false;
  if (capabilities.independentObjects === true && remaining.plan.changes.some(({ kind }) => kind === "missing")) return false;
  return remaining.plan.changes.every(({ path }) =>
    plan.changes.some((change) => change.path.contains(path) || path.contains(change.path)),
  );
}

/**
 * Returns true if a request without a reply, from this run or an earlier one, may have caused a difference. Such a request can be executed
 * at any time.
 * @internal Exported for its test.
 */
export function mayBeUnanswered(session: LedgerSession, { plan }: Planned): boolean {
  const paths = Object.keys(unansweredRequests(session, recordOf(session.ledger.current)) ?? {}).map((path) => parsePath(path));
  return plan.changes.some(({ path }) => paths.some((at) => at.contains(path) || path.contains(at)));
}

/**
 * Returns an error if other administrators made all the differences after our commit: this is drift, not a fault of the target.
 * @param planned The state that was read before our writes.
 */
async function changedSinceCommit(session: LedgerSession, planned: Planned, remaining: Planned): Promise<PlumblineError | undefined> {
  const theirs: { readonly change: Change; readonly by: Attribution }[] = [];
  for (const change of remaining.plan.changes) {
    const by = await changedBy(session, change, planned, remaining);
    if (by === undefined) return undefined;
    theirs.push({ change, by });
  }
  const [first] = theirs;
  if (first === undefined) return undefined;
  const { change, by } = first;
  const more = theirs.length > 1 ? `, and ${theirs.length - 1} more of the kind` : "";
  const when = by.time === undefined ? "" : ` at ${by.time}`;
  return new PlumblineError("changed-since-commit", `"${by.admin}" changed ${change.path}${when}, after the commit${more}`, {
    where: { target: session.target.name, xpath: change.path.toString() },
    next: "The commit is active. `plumbline drift` shows the change. An agent treats it like any other drift.",
  });
}

/**
 * Returns the other administrator who touched the path after it was read for our plan, committed or not. Undefined if the target names no
 * author: a time without an author may belong to our own write.
 */
async function changedBy(session: LedgerSession, { path }: Change, planned: Planned, remaining: Planned): Promise<Attribution | undefined> {
  const {
    target,
    facts: { administrator },
  } = session;
  const theirs = remaining.live.pending.find((pending) => pending.owner !== administrator && pendingPath(pending)?.contains(path));
  const isNew = theirs !== undefined && !planned.live.pending.some((pending) => samePending(pending, theirs));
  if (theirs !== undefined && (isNew || isUncommitted(path, remaining, target))) return { admin: theirs.owner, time: undefined };
  const now = await target.attribution(path, find(remaining.live.candidate, path));
  if (now === undefined || now.admin === administrator || now.admin === UNKNOWN_ADMIN) return undefined;
  const before = await changedBefore(session, path, planned);
  return before?.admin === now.admin && before.time === now.time ? undefined : now;
}

/**
 * Returns the administrator who last changed the path before our plan was read. Uses the value that was recorded then, because a target
 * that keeps only the last change cannot report it now. Services are queried anyway: they attribute our write to the creator of the object.
 */
async function changedBefore(session: LedgerSession, path: Path, planned: Planned): Promise<Attribution | undefined> {
  const node = find(planned.live.candidate, path);
  if (node === undefined) return undefined;
  const known = session.progress.changedBefore.find(({ change }) => change.path.contains(path) || path.contains(change.path));
  const isService = session.facts.capabilities.independentObjects === true;
  return known === undefined || isService ? await session.target.attribution(path, node) : known.attribution;
}

/**
 * Right after our commit, every uncommitted change belongs to other administrators, even if their list of changes is the same as before.
 */
function isUncommitted(path: Path, { live: { candidate, running } }: Planned, { shape }: ApplySession["target"]): boolean {
  return running !== undefined && differingUnit(candidate, running, [{ path, what: "node" }], shape) !== undefined;
}

function samePending(a: PendingChange, b: PendingChange): boolean {
  return a.owner === b.owner && a.xpath === b.xpath && a.action === b.action;
}
