import type { Shape } from "../../core/tree/shape.js";
import type { Plan } from "../../plan/model.js";
import { operationsDigest } from "../apply/operations-digest.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { RefusedCommit } from "../watch/open-watch.js";
import { checksDigest, isStillDeclared, touchesWish } from "../watch/refused-state.js";
import type { TargetContext } from "./context.js";

/**
 * Returns the change that checks rolled back, if the plan would apply it again. A later commit that does not touch these places does not
 * retry the change.
 */
export function rolledBackIn(
  record: LedgerRecord | undefined,
  context: TargetContext,
  plan: Plan,
  shape: Shape,
): RefusedCommit | undefined {
  const refused = record?.refused;
  return refused === undefined || plan.operations.length === 0 || !isSame(refused, context, plan, shape) ? undefined : refused;
}

function isSame(refused: RefusedCommit, { checkout, desired }: TargetContext, plan: Plan, shape: Shape): boolean {
  const { wish } = refused;
  const byCommit = refused.commit !== undefined && !checkout.dirty;
  const isCommit = byCommit && refused.commit === checkout.commit;
  // Recorded by an earlier version, or a change of order only.
  if (wish === undefined || Object.keys(wish).length === 0) return byCommit ? isCommit : refused.operations === operationsDigest(plan);
  const isJudgedAlike = refused.checks === checksDigest(desired.checks);
  return touchesWish(wish, plan.changes) && (isCommit || (isJudgedAlike && isStillDeclared(wish, desired.root, shape)));
}
