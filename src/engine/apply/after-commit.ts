import { PlumblineError } from "../../core/errors.js";
import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import { type Attribution, type Change, UNKNOWN_ADMIN } from "../../plan/diff/change.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import { type Planned, recordOf } from "../pass/planner.js";
import type { ApplySession } from "./apply-session.js";
import { touchedBy } from "./touched.js";
import { unansweredRequests } from "./unanswered-requests.js";
import { differingUnit } from "./units.js";

/** What we wrote was gone from the candidate before its commit, each time: the target restarts, or somebody reverts our work. */
export function candidateLost({ target }: ApplySession, times: number): PlumblineError {
  return new PlumblineError("candidate-lost", `${times} times there was nothing to commit after we wrote, and what we wrote is not there`, {
    where: { target: target.name },
    next: "Find out whether the device restarts, or who reverts our uncommitted work, and run again.",
  });
}

/** A commit that ended well and committed nothing, as was seen of managers: all that we wrote is in the candidate still, and nothing of it is running. */
export function hasCommittedNothing({ target }: ApplySession, { plan, live }: Planned, standing: Planned): boolean {
  const { units } = touchedBy(plan.operations.map(({ operation }) => operation));
  const [before, now] = [live.running, standing.live.running];
  if (before === undefined || now === undefined || units.length === 0) return false;
  if (standing.plan.operations.length > 0 || !standing.plan.commitOnly) return false;
  return differingUnit(before, now, units, target.shape) === undefined;
}

/** The same is tried again: it is no fault of what was written. */
export function committedNothing({ target }: ApplySession): PlumblineError {
  return new PlumblineError("commit-failed", "The commit ended well, and all that was to be committed was still uncommitted", {
    where: { target: target.name },
    next: "Run again; an agent does so by itself. Where it stays so, commit by hand on the target: managers 11.0.4 to 11.1.3 are known for it.",
  });
}

/**
 * What we did not write is no fault of what the target made of it: a request of a run before came late, somebody changed it, or it
 * was not seen when what a lost reply had left was planned again. Nor is an object of a service that took our create and has it no
 * more: somebody deleted it; nor one that it showed as written.
 */
export function isOfWhatWasWritten({ capabilities, leftOut, target }: ApplySession, { plan }: Planned, standing: Planned): boolean {
  if (standing.plan.changes.some(({ path }) => leftOut.some((root) => root.contains(path)))) return false;
  if (standing.plan.changes.some(({ path }) => target.ids?.wasStored?.(path) === true)) return false;
  if (capabilities.independentObjects === true && standing.plan.changes.some(({ kind }) => kind === "missing")) return false;
  return standing.plan.changes.every(({ path }) => plan.changes.some((change) => change.path.contains(path) || path.contains(change.path)));
}

/** Whether a request that got no reply, of ours or of a run before, may have made any of the difference: it comes when it comes. */
export function mayBeUnanswered(session: ApplySession, { plan }: Planned): boolean {
  const paths = Object.keys(unansweredRequests(session, recordOf(session.ledger)) ?? {}).map((path) => parsePath(path));
  return plan.changes.some(({ path }) => paths.some((at) => at.contains(path) || path.contains(at)));
}

/**
 * Whether all that is not as wanted after our commit was changed by other administrators since: then it is their drift, and no fault
 * of the target. `planned` is what was read before we wrote.
 */
export async function changedSinceCommit(session: ApplySession, planned: Planned, standing: Planned): Promise<PlumblineError | undefined> {
  const theirs: { readonly change: Change; readonly by: Attribution }[] = [];
  for (const change of standing.plan.changes) {
    const by = await changedBy(session, change, planned, standing);
    if (by === undefined) return undefined;
    theirs.push({ change, by });
  }
  const [first] = theirs;
  if (first === undefined) return undefined;
  const { change, by } = first;
  const more = theirs.length > 1 ? `, and ${theirs.length - 1} more of the kind` : "";
  const when = by.time === undefined ? "" : ` at ${by.time}`;
  return new PlumblineError("changed-since-commit", `"${by.admin}" changed ${change.path}${when}, after our commit${more}`, {
    where: { target: session.target.name, xpath: change.path.toString() },
    next: "Our commit stands. `plumbline drift` shows what they did; an agent treats it as any other drift.",
  });
}

/**
 * Returns the other administrator who touched the path after it was read for our plan, committed or not. Undefined if the target names no
 * author: a time alone may be that of our own write.
 */
async function changedBy(session: ApplySession, { path }: Change, planned: Planned, standing: Planned): Promise<Attribution | undefined> {
  const { target, administrator } = session;
  const theirs = standing.live.pending.find((pending) => pending.owner !== administrator && pendingPath(pending)?.contains(path));
  const isNew = theirs !== undefined && !planned.live.pending.some((pending) => samePending(pending, theirs));
  if (theirs !== undefined && (isNew || isUncommitted(path, standing, target))) return { admin: theirs.owner, time: undefined };
  const now = await target.attribution(path, find(standing.live.candidate, path));
  if (now === undefined || now.admin === administrator || now.admin === UNKNOWN_ADMIN) return undefined;
  const before = await changedBefore(session, path, planned);
  return before?.admin === now.admin && before.time === now.time ? undefined : now;
}

/**
 * Who had changed the path last when it was read for our plan: as was known then, since a target that knows of the last change alone
 * cannot tell it now. Services that count a write of ours as a change of whoever made the object are asked all the same.
 */
async function changedBefore(session: ApplySession, path: Path, planned: Planned): Promise<Attribution | undefined> {
  const node = find(planned.live.candidate, path);
  if (node === undefined) return undefined;
  const known = session.changedBefore.find(({ change }) => change.path.contains(path) || path.contains(change.path));
  const isService = session.capabilities.independentObjects === true;
  return known === undefined || isService ? await session.target.attribution(path, node) : known.attribution;
}

/** Right after our commit all that is uncommitted is others', also where their list of changes looks as before. */
function isUncommitted(path: Path, { live: { candidate, running } }: Planned, { shape }: ApplySession["target"]): boolean {
  return running !== undefined && differingUnit(candidate, running, [{ path, what: "node" }], shape) !== undefined;
}

function samePending(a: PendingChange, b: PendingChange): boolean {
  return a.owner === b.owner && a.xpath === b.xpath && a.action === b.action;
}
