import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import { pendingPath } from "../../plan/pending-path.js";
import { committedNothing } from "../apply/after-commit.js";
import { type ApplySession, note, ourAccounts, pendingNow, say } from "../apply/apply-session.js";
import { clearLeftovers, comesTo } from "../apply/leftovers.js";
import { lookUnderLock, type UnderLock } from "../apply/look-under-lock.js";
import { recordGone } from "../apply/record.js";
import { refusePaused } from "../apply/refuse-paused.js";
import { lockUnlessHeld } from "../apply/take-lock.js";
import { containerOf } from "../live.js";
import { sideBySide } from "../side-by-side.js";
import type { View } from "../target.js";
import { targetTime } from "./clock.js";
import type { OpenWatch } from "./open-watch.js";
import { checksDigest } from "./refused-wish.js";
import { type Left, type Restoration, restorationOf } from "./restoration.js";
import { readsOf, reopened, sameAt } from "./rows.js";
import { anythingStands } from "./standing.js";
import { writeBack } from "./write-back.js";

const ATTEMPTS = 3;

/**
 * Takes our commit back: under lock, only where a node is still what we wrote, committed once with a description that
 * says so, read back; then the ledger goes back and the commit of the desired state is marked as refused. Resolves to
 * what stays because others changed it since. `beyond` comes before the ledger: a run that is killed in it is gone on with. Repeated after a kill, it goes on from what stands.
 * @throws PlumblineError when the target cannot be written; the ledger then still says what is to be done.
 */
export async function takeBack(
  session: ApplySession,
  open: OpenWatch,
  why: string,
  beyond: () => Promise<void> = async () => undefined,
): Promise<readonly Left[]> {
  const { target, step, capabilities } = session;
  say(session, "taking the commit back");
  const mark = async () => ({
    commit: open.commit,
    operations: open.operations,
    ...(open.wish === undefined ? {} : { wish: open.wish, checks: checksDigest(open.checks) }),
    at: await targetTime(session).catch(() => undefined),
    why,
  });
  const forget = () => step("watch-end", async () => recordGone(session, open, await stillThere(session, open), await mark()));
  const before = session.before ?? (await session.writer.snapshots?.load(open.snapshot));
  if (before === undefined) {
    if (!(await anythingStands(session, open))) {
      await beyond();
      await forget();
      return [];
    }
    throw new PlumblineError(
      "before-unknown",
      `What was there before the commit is not known: there is no configuration ${open.snapshot} on the target`,
      {
        where: { target: target.name },
        next: "Look at the commit on the device, and revert what it did by hand or by a commit of the desired state.",
        severity: "partial",
      },
    );
  }
  const reads = readsOf(reopened(open.written));
  await refusePaused(session);
  const tookOver = await lockUnlessHeld(session, open.digest, reads);
  const look = await lookUnderLock(session);
  await clearLeftovers(session, tookOver || (await isOfThis(session, open, before, look)), look);
  const { plan, refused, against } = await writeWhatIsOurs(session, open, before, reads);
  const standing = await step("read-back", () => against("running"));
  const isUncommitted = capabilities.candidate && standing.operations.length > 0 && (await against("candidate")).operations.length === 0;
  if (isUncommitted) throw committedNothing(session);
  const left = unique([
    ...refused,
    ...standing.left,
    ...standing.operations.map(({ at }) => ({ xpath: at.toString(), why: "it still stands" })),
  ]);
  await beyond();
  await forget();
  await note(session, "end", open.digest);
  return capabilities.candidate ? left : unique(plan.left);
}

/**
 * Whether what our account has uncommitted is nothing else than what takes this commit back: a run before, of whatever machine, wrote it, and
 * its commit came to nothing.
 */
async function isOfThis(
  session: ApplySession,
  { tripped, written }: OpenWatch,
  before: TreeNode,
  { pending }: UnderLock,
): Promise<boolean> {
  const { target, administrator } = session;
  const own = pending.filter(({ owner }) => owner === administrator);
  if (tripped === undefined || own.length === 0) return false;
  const reads = readsOf(reopened(written));
  return await comesTo(session, own, reads, (running) => restorationOf(written, before, running, target.shape).outcome);
}

interface Written {
  readonly plan: Restoration;
  /** What the target refused for good. */
  readonly refused: readonly Left[];
  readonly against: (view: View) => Promise<Restoration>;
}

/** @throws PlumblineError `foreign-change` (refused) where others change it under each of our plans; nothing was written then. */
async function writeWhatIsOurs(session: ApplySession, open: OpenWatch, before: TreeNode, reads: readonly Path[]): Promise<Written> {
  const { target, capabilities } = session;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const candidate = await target.read(reads, "candidate");
    const { operations } = restorationOf(open.written, before, candidate, target.shape);
    const theirs = new Map([
      ...(await changedSince(session, open, operations, candidate)),
      ...(await begunSince(session, operations, candidate, reads)),
    ]);
    const against = async (view: View) => restorationOf(open.written, before, await target.read(reads, view), target.shape, theirs);
    const plan = restorationOf(open.written, before, candidate, target.shape, theirs);
    const isDue = capabilities.candidate && (await against("running")).operations.length > 0;
    const refused = await writeBack(session, { digest: open.digest, operations: plan.operations, planned: candidate, isDue });
    if (refused !== undefined) return { plan, refused, against };
  }
  throw new PlumblineError("foreign-change", "Somebody changes what our commit brought while it is to be taken back", {
    where: { target: target.name },
    next: "Run again when they are done: what they made theirs stays, and the rest is taken back.",
    severity: "refused",
  });
}

/**
 * Who made anew or changed, since our commit was asked for, what taking it back would delete: somebody may have made theirs the very same
 * just before it was carried out, or a run before have taken it back already, and been killed before it could note that. An entry that
 * reads as ours is somebody else's then.
 */
async function changedSince(
  session: ApplySession,
  open: OpenWatch,
  operations: readonly Operation[],
  candidate: TreeNode,
): Promise<ReadonlyMap<string, string>> {
  const { target } = session;
  // The commit's time is the target's own only where that tells it.
  if (target.logs === undefined) return new Map();
  const ours = ourAccounts(session);
  const deleted = operations.filter(({ action }) => action === "delete");
  const found = await sideBySide(deleted, async ({ at }) => [at, await target.attribution(at, find(candidate, at))] as const);
  return new Map(
    found.flatMap(([at, by]) => {
      const isTheirs = by?.time !== undefined && !ours.has(by.admin) && by.time > open.asked;
      return isTheirs ? [[at.toString(), by.admin] as const] : [];
    }),
  );
}

/**
 * Who has begun, and not committed, what taking our commit back would undo: what reads as ours and is not what runs was taken back by a run
 * before, which could not note that, and somebody does the same over again. `candidate` was read before this is asked.
 */
async function begunSince(
  session: ApplySession,
  operations: readonly Operation[],
  candidate: TreeNode,
  reads: readonly Path[],
): Promise<ReadonlyMap<string, string>> {
  const { target } = session;
  const ours = ourAccounts(session);
  const pending = (await pendingNow(session)).filter(({ owner }) => !ours.has(owner));
  if (pending.length === 0 || session.capabilities.runningUnreadable === true) return new Map();
  const running = await target.read(reads, "running");
  return new Map(
    operations.flatMap((operation) => {
      const at = operation.action === "set" ? pathOf(operation.at, operation.element) : operation.at;
      if (sameAt(find(candidate, at), find(running, at), at, target.shape)) return [];
      const whose = pending.find((change) => isThere(pendingPath(change), at))?.owner;
      return whose === undefined ? [] : [[at.toString(), whose] as const];
    }),
  );
}

/** Of a change that can be anywhere, too. */
function isThere(changed: Path | undefined, at: Path): boolean {
  return changed === undefined || changed.contains(at) || at.contains(changed);
}

/**
 * Paths that came with the commit and are there all the same: others have made them theirs, or have committed them with their own work,
 * or they could not be taken back.
 */
export async function stillThere(session: ApplySession, open: OpenWatch): Promise<ReadonlyMap<string, TreeNode>> {
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
function unique(left: readonly Left[]): Left[] {
  return [...new Map([...left].reverse().map((each) => [each.xpath, each])).values()].reverse();
}
