import { PlumblineError } from "../../core/errors.js";
import { NON_DESCENDANT } from "../../guards/former-values.js";
import type { Plan, PlanInput } from "../../plan/model.js";
import { descends, hasCommit, isShallow } from "../checkout/checkout.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { Touched } from "../ledger/row-facts.js";
import type { TargetContext } from "./context.js";

/**
 * Returns why a plan would restore values that a newer commit changed: the checked-out commit is older than the last applied one, or it
 * lacks a commit that wrote one of the values. If the clone does not contain the last applied commit, nothing is written: a run that failed
 * may have changed more than its ledger rows name. Guard `deletes` covers deletions.
 */
export async function formerValuesIn(
  plan: Plan,
  { descends: isDescendant }: PlanInput,
  record: LedgerRecord | undefined,
  context: TargetContext,
): Promise<string | undefined> {
  if (plan.operations.length === 0 || record === undefined || context.options.overrides.allowRewind === true) return undefined;
  if (isDescendant !== false && isDescendant !== "cut") return undefined;
  if (plan.refusals.some(({ guard }) => guard === NON_DESCENDANT)) return undefined;
  return isDescendant === "cut" ? HISTORY_CUT : await reasonOf(plan, record, context);
}

const HISTORY_CUT =
  "The history of this clone is cut short (shallow clone) and the rest cannot be fetched, so the commit may be older than the last applied one. Fetch the complete history (git fetch --unshallow) and run again.";

async function reasonOf(plan: Plan, { commit, paths, rows = {} }: LedgerRecord, { checkout }: TargetContext): Promise<string | undefined> {
  const { folder, commit: head } = checkout;
  if (head === undefined || commit === undefined) return undefined;
  if (await descends(folder, head, commit)) {
    return `The commit is older than ${commit.slice(0, 12)}, which was applied last, and would put former values back. Use a newer commit. To go back on purpose, use git revert or \`plumbline rollback\`.`;
  }
  if (!(await hasCommit(folder, commit))) {
    return `This clone does not contain commit ${commit.slice(0, 12)}, which was applied last. It may have changed or deleted ${plan.changes[0]?.path ?? "these objects"}. Fetch it (git fetch) and run again.`;
  }
  const writers = new Map(new Touched(plan.changes).among(paths).map((path) => [rows[path]?.commit ?? commit, path]));
  for (const [writer, path] of writers) {
    if (await descends(folder, writer, head)) continue;
    return `Commit ${writer.slice(0, 12)} wrote ${path}, and it is not in the history of this commit, which would put the former value back. Merge it first.`;
  }
  return undefined;
}

/**
 * `adopt` records its commit as the last applied one, so that a later run at this commit restores the values that newer commits changed.
 * @throws PlumblineError `adopt-non-descendant` (refused) if the commit does not contain the last applied one
 */
export async function refuseOlderAdoption(record: LedgerRecord | undefined, { checkout, options, name }: TargetContext): Promise<void> {
  const { folder, commit: head } = checkout;
  const applied = record?.commit;
  if (head === undefined || applied === undefined || options.overrides.allowNonDescendant) return;
  if (await descends(folder, applied, head)) return;
  throw new PlumblineError("adopt-non-descendant", await relationOf(folder, head, applied.slice(0, 12), applied), {
    where: { target: name },
    next: "The ledger was not changed. Check out a commit that contains it, and run `plumbline adopt` again. To record this commit on purpose, add `--allow non-descendant`.",
    severity: "refused",
  });
}

async function relationOf(folder: string, head: string, short: string, applied: string): Promise<string> {
  if (await descends(folder, head, applied)) return `The commit is older than ${short}, which was applied last.`;
  if (!(await hasCommit(folder, applied))) {
    const cut = (await isShallow(folder)) ? " Its history is cut short (shallow clone)." : "";
    return `This clone does not contain commit ${short}, which was applied last.${cut}`;
  }
  return `The commit does not contain ${short}, which was applied last.`;
}
