import type { TreeNode } from "../../core/tree/node.js";
import { type ApplySession, note, othersText, pendingNow, reportProgress, type TargetSession } from "./apply-session.js";
import { placesOf, type Touched, touchedBy } from "./changed-nodes.js";
import { differingUnit } from "./differing-node.js";
import { isLost } from "./errors.js";
import { recordLost } from "./record-created.js";
import { revertOwn } from "./revert-own.js";

/**
 * Restores the candidate to its state before our first write. Uses the platform's own revert of our changes, otherwise inverse operations
 * if every touched node is still as we left it. Then reads back and compares.
 * @throws Error with the reason if this is not possible or did not help. An operator must then check the candidate.
 */
export async function restore(session: ApplySession): Promise<void> {
  const {
    target,
    step,
    progress: { undo },
    facts: { capabilities },
  } = session;
  const units = touchedBy(undo.sent);
  if (undo.sent.length === 0 || capabilities.independentObjects === true) return;
  reportProgress(session, "reverting the written changes");
  await step("restore", async () => {
    const others = othersText(await pendingNow(session), session.facts.administrator);
    if (capabilities.partialRevert) await revertOwn(session, placesOf(undo.sent));
    else await undoOneByOne(session);
    const current = await target.read(units.reads, "candidate");
    const differs = differingUnit(undo.base, current, units.units, target.shape);
    if (differs !== undefined && !(await isAsRunning(session, units, current))) throw new Error(`${differs.path} is not as it was`);
    if (othersText(await pendingNow(session), session.facts.administrator) !== others) {
      throw new Error("other administrators' pending changes are not as they were");
    }
  });
  await note(session, "restored", "");
  undo.forget();
}

/** Other administrators may have committed since our first write. After the revert, our candidate equals the running configuration. */
async function isAsRunning(
  { target, facts: { capabilities } }: TargetSession,
  { reads, units }: Touched,
  current: TreeNode,
): Promise<boolean> {
  if (!capabilities.partialRevert || !capabilities.changeList || capabilities.runningUnreadable === true) return false;
  return differingUnit(current, await target.read(reads, "running"), units, target.shape) === undefined;
}

async function undoOneByOne(session: ApplySession): Promise<void> {
  const {
    target,
    writer,
    progress: { undo },
  } = session;
  const { reads } = touchedBy(undo.sent);
  const inverses = undo.inverses(await target.read(reads, "candidate"), target.shape);
  if (inverses === undefined) throw new Error("another administrator changed the written nodes");
  for (const operation of inverses) {
    try {
      await writer.write([operation]);
    } catch (error) {
      if (isLost(error)) await recordLost(session, placesOf([operation]), error);
      throw error;
    }
  }
}
