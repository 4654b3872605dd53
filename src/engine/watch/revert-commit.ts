import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { View } from "../../plan/platform.js";
import { committedNothing } from "../apply/after-commit.js";
import { type ApplySession, note, ourAccounts, pendingNow, reportProgress, type TargetSession } from "../apply/apply-session.js";
import { comesTo, type Leftovers, readLeftovers, revertLeftovers } from "../apply/leftovers.js";
import { recordReverted } from "../apply/record-watch.js";
import { refusePaused } from "../apply/refuse-paused.js";
import { lockUnlessHeld } from "../apply/take-lock.js";
import { boundedMap } from "../bounded-map.js";
import { containerOf } from "../live.js";
import { targetTime } from "./clock.js";
import type { OpenWatch } from "./open-watch.js";
import { checksDigest } from "./refused-state.js";
import { type NotRestored, type Restoration, restorationOf } from "./restoration.js";
import { readsOf, reopened, sameAt } from "./rows.js";
import { anyChangeIsRunning } from "./standing.js";
import { writeRollback } from "./write-rollback.js";

const ATTEMPTS = 3;

/**
 * Rolls our commit back under a lock, and reverts only nodes that still have our value. Commits once with a description that names the
 * rollback, and reads back. Then restores the ledger and marks the commit of the desired state as refused.
 * Resolves to the changes that stay because others changed them since. `beyond` runs before the ledger is restored, so a later run repeats
 * it if this one is aborted. A repeated call continues from the current state. `runningBefore` as in `Committed`; otherwise the snapshot on
 * the target is read.
 * @throws PlumblineError if the target cannot be written; the ledger then still lists the open work.
 */
export async function revertCommit(
  session: ApplySession,
  open: OpenWatch,
  why: string,
  {
    beyond = async () => undefined,
    runningBefore,
  }: { readonly beyond: (() => Promise<void>) | undefined; readonly runningBefore: TreeNode | undefined },
): Promise<readonly NotRestored[]> {
  const {
    target,
    step,
    facts: { capabilities },
  } = session;
  reportProgress(session, "taking the commit back");
  const mark = async () => ({
    commit: open.commit,
    operations: open.operations,
    ...(open.wish === undefined ? {} : { wish: open.wish, checks: checksDigest(open.checks) }),
    at: await targetTime(session).catch(() => undefined),
    why,
  });
  const forget = () => step("watch-end", async () => recordReverted(session, open, await stillThere(session, open), await mark()));
  const before = runningBefore ?? (await session.writer.snapshots?.load(open.snapshot));
  if (before === undefined) {
    if (!(await anyChangeIsRunning(session, open))) {
      await beyond();
      await forget();
      return [];
    }
    throw new PlumblineError(
      "before-unknown",
      `The configuration before the commit is unknown: there is no configuration ${open.snapshot} on the target`,
      {
        where: { target: target.name },
        next: "Check the commit on the device, and revert it manually or by a commit of the desired state.",
        severity: "partial",
      },
    );
  }
  const reads = readsOf(reopened(open.written));
  await refusePaused(session);
  const tookOver = await lockUnlessHeld(session, open.digest, reads);
  const left = await readLeftovers(session);
  await revertLeftovers(session, tookOver || (await isOfThis(session, open, before, left)), left);
  const { plan, refused, against } = await writeOwnChanges(session, open, before, reads);
  const current = await step("read-back", () => against("running"));
  const isUncommitted = capabilities.candidate && current.operations.length > 0 && (await against("candidate")).operations.length === 0;
  if (isUncommitted) throw committedNothing(session);
  const notRestored = unique([
    ...refused,
    ...current.left,
    ...current.operations.map(({ at }) => ({ xpath: at.toString(), why: "it is still active" })),
  ]);
  await beyond();
  await forget();
  await note(session, "end", open.digest);
  return capabilities.candidate ? notRestored : unique(plan.left);
}

/**
 * Reports whether our account's uncommitted changes are only the rollback of this commit, from an earlier run on any machine whose commit
 * failed.
 */
async function isOfThis(
  session: TargetSession,
  { tripped, written }: OpenWatch,
  before: TreeNode,
  { pending }: Leftovers,
): Promise<boolean> {
  const {
    target,
    facts: { administrator },
  } = session;
  const own = pending.filter(({ owner }) => owner === administrator);
  if (tripped === undefined || own.length === 0) return false;
  const reads = readsOf(reopened(written));
  return await comesTo(session, own, reads, (running) => restorationOf(written, before, running, target.shape).outcome);
}

interface WrittenRollback {
  readonly plan: Restoration;
  /** Operations that the target refused permanently. */
  readonly refused: readonly NotRestored[];
  readonly against: (view: View) => Promise<Restoration>;
}

/** @throws PlumblineError `foreign-change` (refused) if others change it during each attempt; then no operation was sent. */
async function writeOwnChanges(session: ApplySession, open: OpenWatch, before: TreeNode, reads: readonly Path[]): Promise<WrittenRollback> {
  const {
    target,
    facts: { capabilities },
  } = session;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const candidate = await target.read(reads, "candidate");
    const { operations } = restorationOf(open.written, before, candidate, target.shape);
    const byOthers = new Map([
      ...(await changedSince(session, open, operations, candidate)),
      ...(await begunSince(session, operations, candidate, reads)),
    ]);
    const against = async (view: View) => restorationOf(open.written, before, await target.read(reads, view), target.shape, byOthers);
    const plan = restorationOf(open.written, before, candidate, target.shape, byOthers);
    const isDue = capabilities.candidate && (await against("running")).operations.length > 0;
    const refused = await writeRollback(session, { digest: open.digest, operations: plan.operations, planned: candidate, isDue });
    if (refused !== undefined) return { plan, refused, against };
  }
  throw new PlumblineError("foreign-change", "Another administrator changes the committed nodes during the rollback", {
    where: { target: target.name },
    next: "Run again when they have finished: their changes stay, and the rest is rolled back.",
    severity: "refused",
  });
}

/**
 * Administrators who created or changed objects since our commit was sent, for objects that the rollback would delete. Another
 * administrator may have created an equal object just before our commit, or after an earlier rollback that was aborted before it was
 * recorded. Such an object belongs to that administrator.
 */
async function changedSince(
  session: TargetSession,
  open: OpenWatch,
  operations: readonly Operation[],
  candidate: TreeNode,
): Promise<ReadonlyMap<string, string>> {
  const { target } = session;
  // Without logs the commit's time may not be from the target's clock.
  if (target.logs === undefined) return new Map();
  const accounts = ourAccounts(session);
  const deleted = operations.filter(({ action }) => action === "delete");
  const found = await boundedMap(deleted, async ({ at }) => [at, await target.attribution(at, find(candidate, at))] as const);
  return new Map(
    found.flatMap(([at, by]) => {
      const isByOther = by?.time !== undefined && !accounts.has(by.admin) && by.time > open.asked;
      return isByOther ? [[at.toString(), by.admin] as const] : [];
    }),
  );
}

/**
 * Administrators with uncommitted changes that the rollback would undo. A value that equals ours in the candidate but not in running was
 * already rolled back by an aborted run, and another administrator has set it again. `candidate` must be read before this call.
 */
async function begunSince(
  session: TargetSession,
  operations: readonly Operation[],
  candidate: TreeNode,
  reads: readonly Path[],
): Promise<ReadonlyMap<string, string>> {
  const { target } = session;
  const accounts = ourAccounts(session);
  const pending = (await pendingNow(session)).filter(({ owner }) => !accounts.has(owner));
  if (pending.length === 0 || session.facts.capabilities.runningUnreadable === true) return new Map();
  const running = await target.read(reads, "running");
  return new Map(
    operations.flatMap((operation) => {
      const at = operation.action === "set" ? pathOf(operation.at, operation.element) : operation.at;
      if (sameAt(find(candidate, at), find(running, at), at, target.shape)) return [];
      const owner = pending.find((change) => isThere(pendingPath(change), at))?.owner;
      return owner === undefined ? [] : [[at.toString(), owner] as const];
    }),
  );
}

/** Of a change that can be anywhere, too. */
function isThere(changed: Path | undefined, at: Path): boolean {
  return changed === undefined || changed.contains(at) || at.contains(changed);
}

/** Paths that the commit added and that still exist: others own or committed them, or they could not be reverted. */
export async function stillThere(session: Pick<ApplySession, "target">, open: OpenWatch): Promise<ReadonlyMap<string, TreeNode>> {
  const paths = open.before.added.map((path) => parsePath(path));
  if (paths.length === 0) return new Map();
  const containers = new Map(paths.map(containerOf).map((path) => [path.toString(), path]));
  const tree = await session.target.read([...containers.values()], "running");
  return new Map(
    paths.flatMap((path) => {
      const node = find(tree, path);
      return node === undefined ? [] : [[path.toString(), node] as const];
    }),
  );
}

/** Each node once, with the first reason. */
function unique(left: readonly NotRestored[]): NotRestored[] {
  return [...new Map([...left].reverse().map((each) => [each.xpath, each])).values()].reverse();
}
