import { isLost } from "../apply/errors.js";
import { clearLeftovers } from "../apply/leftovers.js";
import { recordGone } from "../apply/record.js";
import { foreignText, jobProgress, note, pendingNow, type Session, say } from "../apply/session.js";
import { takeLock } from "../apply/take-lock.js";
import { Undo } from "../apply/undo.js";
import { verifyStanding } from "../apply/verify.js";
import { commit, commitPrefix } from "../commit.js";
import { PlumblineError } from "../errors.js";
import { containerOf } from "../live.js";
import type { Operation } from "../plan/operation.js";
import { find } from "../tree/lookup.js";
import type { TreeNode } from "../tree/node.js";
import { parsePath } from "../tree/xpath.js";
import type { OpenWatch } from "./open-watch.js";
import { type Left, restorationOf } from "./restoration.js";
import { readsOf, reopened } from "./rows.js";

/**
 * Takes our commit back: under lock, only where a node is still what we wrote, committed once with a description that
 * says so, read back; then the ledger goes back and the commit of the desired state is marked as refused. Resolves to
 * what stays because others changed it since. Repeated after a kill, it goes on from what stands.
 * @throws PlumblineError when the target cannot be written; the ledger then still says what is to be done.
 */
export async function takeBack(session: Session, open: OpenWatch, why: string): Promise<readonly Left[]> {
  const { target, step, capabilities } = session;
  say(session, "taking the commit back");
  const before = session.before ?? (await target.savedTree?.(open.snapshot));
  if (before === undefined) {
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
  await clearLeftovers(session, await takeLock(session, open.digest, reads));
  const plan = restorationOf(open.written, before, await target.read(reads, "candidate"), target.shape);
  const refused = plan.operations.length === 0 ? [] : await write(session, open, before, plan.operations, reads);
  const standing = restorationOf(open.written, before, await step("read-back", () => target.read(reads, "running")), target.shape);
  const left = unique([
    ...refused,
    ...standing.left,
    ...standing.operations.map(({ at }) => ({ xpath: at.toString(), why: "it still stands" })),
  ]);
  const mark = { commit: open.commit, operations: open.operations, why };
  await step("watch-end", async () => recordGone(session, open, await stillThere(session, open), mark));
  await note(session, "end", open.digest);
  return capabilities.candidate ? left : unique(plan.left);
}

/** Writes and commits. What the target refuses is tried again after the rest, and told when it is refused for good. */
async function write(
  session: Session,
  open: OpenWatch,
  before: TreeNode,
  operations: readonly Operation[],
  reads: ReturnType<typeof readsOf>,
): Promise<Left[]> {
  const { target, step, capabilities } = session;
  await note(session, "take-back", open.digest);
  await step("verify-identity", () => verifyStanding(session));
  session.undo = new Undo(await target.read(reads, "candidate"), foreignText(await pendingNow(session), session.administrator));
  const size = capabilities.atomicBatch ? capabilities.maxBatchOperations : 1;
  let waiting: readonly Operation[] = [];
  for (let at = 0; at < operations.length; at += size) {
    const batch = operations.slice(at, at + size);
    if (await accepted(session, batch)) continue;
    waiting = [...waiting, ...batch];
  }
  const left: Left[] = [];
  while (waiting.length > 0) {
    left.length = 0;
    const refused: Operation[] = [];
    for (const operation of waiting) {
      const answer = await accepted(session, [operation], (message) => left.push({ xpath: operation.at.toString(), why: message }));
      if (!answer) refused.push(operation);
    }
    if (refused.length === waiting.length) break;
    waiting = refused;
  }
  if (session.undo.sent.length === 0) return left;
  if (capabilities.validate) await step("validate", () => validate(session));
  await step("commit", () => commit(session, open.digest, commitPrefix(session, open.digest, "rollback ")));
  session.undo.forget();
  void before;
  return left;
}

/** Whether the target took the operations; false when it refused them, and nothing of them was done. */
async function accepted(
  session: Session,
  batch: readonly Operation[],
  tell: (message: string) => void = () => undefined,
): Promise<boolean> {
  session.undo.begin(batch);
  try {
    await session.step("take-back", () => session.target.write(batch));
    session.undo.done();
    return true;
  } catch (error) {
    if (!(error instanceof PlumblineError) || isLost(error)) throw error;
    session.undo.begin([]);
    tell(error.message);
    return false;
  }
}

async function validate(session: Session): Promise<void> {
  const result = await session.target.validate(jobProgress(session, "validating"));
  if (result.outcome !== "failed") return;
  throw new PlumblineError("validation-failed", `The target refuses the configuration: ${result.lines.join(" ")}`, {
    where: { target: session.target.name },
    next: "Look at what the device says; the next run tries to take the commit back again.",
  });
}

/** Paths that came with the commit and are there all the same: others have made them theirs, or they could not be taken back. */
async function stillThere(session: Session, open: OpenWatch): Promise<ReadonlySet<string>> {
  const paths = open.before.added.map((path) => parsePath(path));
  if (paths.length === 0) return new Set();
  const containers = new Map(paths.map(containerOf).map((path) => [path.toString(), path]));
  const tree = await session.target.read([...containers.values()], "running");
  return new Set(paths.filter((path) => find(tree, path) !== undefined).map(String));
}

function unique(left: readonly Left[]): Left[] {
  return [...new Map(left.map((each) => [each.xpath, each])).values()];
}
