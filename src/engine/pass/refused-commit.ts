import type { Shape } from "../../core/tree/shape.js";
import type { Plan, Refusal } from "../../plan/model.js";
import { operationsDigest } from "../apply/operations-digest.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { RefusedCommit } from "../watch/open-watch.js";
import { checksDigest, isSaidStill, touchesWish } from "../watch/refused-state.js";
import type { TargetContext } from "./context.js";

/** Value of `--allow refused-commit=` for files that are not a commit. */
const UNNAMED = "here";

/**
 * Refuses to apply a change again that checks rolled back, until the desired state at these places changes. A later commit that does not
 * touch them does not retry the change.
 */
export function refuseReverted(record: LedgerRecord | undefined, context: TargetContext, plan: Plan, shape: Shape): Refusal[] {
  const { options } = context;
  const refused = record?.refused;
  if (refused === undefined || plan.operations.length === 0 || !isSame(refused, context, plan, shape)) return [];
  const allowed = options.allow.get("refused-commit");
  if (allowed !== undefined && (refused.commit ?? UNNAMED).startsWith(allowed)) return [];
  const message = `this change was applied before and rolled back: ${refused.why}`;
  const allow = `--allow refused-commit=${refused.commit?.slice(0, 8) ?? UNNAMED}`;
  return [{ guard: "refused-commit", message, path: undefined, allow }];
}

function isSame(refused: RefusedCommit, { checkout, desired }: TargetContext, plan: Plan, shape: Shape): boolean {
  const { wish } = refused;
  const byCommit = refused.commit !== undefined && !checkout.dirty;
  const isCommit = byCommit && refused.commit === checkout.commit;
  // Recorded by an earlier version, or a change of order only.
  if (wish === undefined || Object.keys(wish).length === 0) return byCommit ? isCommit : refused.operations === operationsDigest(plan);
  const isJudgedAlike = refused.checks === checksDigest(desired.checks);
  return touchesWish(wish, plan.changes) && (isCommit || (isJudgedAlike && isSaidStill(wish, desired.root, shape)));
}
