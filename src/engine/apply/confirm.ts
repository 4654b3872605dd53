import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import { allowancesOf } from "../../guards/allow.js";
import { refuseAsserted } from "../../guards/assertion.js";
import type { Refusal } from "../../plan/model.js";
import { refuseUnapproved } from "../approvals.js";
import { isAsPlanned } from "../pass/as-planned.js";
import type { TargetContext } from "../pass/context.js";
import { assertedBy } from "../pass/plan-assertions.js";
import { type Planned, refusedBy, stopsTarget } from "../pass/planner.js";
import {
  hasWork,
  type LedgerSession,
  othersText,
  ourAccounts,
  pendingNow,
  replan,
  reportProgress,
  type TargetSession,
} from "./apply-session.js";
import { touchedBy } from "./changed-nodes.js";
import { differingUnit } from "./differing-node.js";
import { Undo } from "./undo.js";

const ATTEMPTS = 3;

/**
 * Checks under the lock that the plan still fits: other administrators have no new pending changes, and every node that the plan touches is
 * unchanged. Otherwise plans again, a few times.
 * @throws PlumblineError `plan-refused`, `plan-moved`, `target-keeps-changing` (all refused).
 */
export async function confirm(session: LedgerSession, first: Planned): Promise<Planned> {
  const {
    target,
    step,
    facts: { administrator },
  } = session;
  let planned = first;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    refuseUnwanted(session, planned);
    if (!hasWork(planned)) return planned;
    if (session.progress.commits === 0) await refuseUnapproved(session.context, session.write, planned.plan);
    const expected = othersText(planned.live.pending, administrator);
    const pending = await step("foreign-check", () => pendingNow(session));
    const isSameForOthers = othersText(pending, administrator) === expected;
    const isUnchanged = (tree: TreeNode) => differingUnit(planned.live.candidate, tree, touched.units, target.shape) === undefined;
    const touched = touchedBy(planned.plan.operations.map(({ operation }) => operation));
    const current = await step("re-read", () => target.read(touched.reads, "candidate"));
    // The trees that were read to judge assertions are newer. On a target without locks, the write is based on them.
    if (isSameForOthers && isUnchanged(current) && (await refuseAgainstAssertions(session, planned)).every(isUnchanged)) {
      session.progress.undo = new Undo(planned.live.candidate, expected);
      return planned;
    }
    reportProgress(session, "the target was changed in the meantime, planning again");
    planned = await replan(session);
  }
  throw new PlumblineError("target-keeps-changing", `The target changed under ${ATTEMPTS} plans in a row`, {
    where: { target: target.name },
    next: "Find out who is writing to it (plumbline drift), and run again when they are done.",
    severity: "refused",
  });
}

/**
 * Judges assertions by the rules that are read under our lock. The touched nodes are unchanged, but other rules that decide the result may
 * have changed.
 * @returns The trees that were read.
 */
async function refuseAgainstAssertions(session: LedgerSession, planned: Planned): Promise<readonly TreeNode[]> {
  if (planned.asserted === undefined) return [];
  const { target, context, step } = session;
  const read: TreeNode[] = [];
  const now = { target, context, ...planned, accounts: [...ourAccounts(session)], onReread: (tree: TreeNode) => void read.push(tree) };
  const asserted = await step("re-read", () => assertedBy(now));
  const refusals = refuseAsserted({ asserted, desired: context.desired, allow: allowancesOf(context.options.overrides.allow) });
  const refused = refusedPlan(context, target.name, refusals.filter(stopsTarget));
  if (refused === undefined) return read;
  session.progress.judged = { ...planned, asserted, plan: refusedBy(planned.plan, refusals) };
  throw refused;
}

function refuseUnwanted(session: LedgerSession, planned: Planned): void {
  const { plan } = planned;
  session.progress.judged = planned;
  const name = session.target.name;
  if (session.progress.commits === 0 && !isAsPlanned(plan, session.write)) {
    throw new PlumblineError("plan-moved", "The current plan differs from the plan file", {
      where: { target: name },
      next: "Run `plumbline plan --out` again, review it, and apply that.",
      severity: "refused",
    });
  }
  refuseUncommitted(session, planned);
  const refused = refusedPlan(session.context, name, plan.refusals.filter(stopsTarget));
  if (refused !== undefined) throw refused;
}

/** @throws PlumblineError `foreign-change` (refused) if only a commit remains and all pending changes belong to other administrators. */
export function refuseUncommitted({ target, facts: { administrator } }: TargetSession, { plan, live: { pending } }: Planned): void {
  const [first] = pending;
  if (!plan.commitOnly || first === undefined || pending.some(({ owner }) => owner === administrator)) return;
  throw new PlumblineError("foreign-change", `The target has the desired content, but it is not committed: ${first.owner} has it pending`, {
    where: { target: target.name, xpath: first.xpath },
    next: "Have them commit or revert their work, then run again.",
    severity: "refused",
  });
}

/** Returns an error for the first refusal, with the number of the others. */
export function refusedPlan(context: TargetContext, name: string, refusals: readonly Refusal[]): PlumblineError | undefined {
  const [refusal, ...others] = refusals;
  if (refusal === undefined) return undefined;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return new PlumblineError("plan-refused", `${refusal.guard}: ${refusal.message}${more}`, {
    where: { ...context.desired.sources.locate(refusal.origin ?? -1), target: name, xpath: refusal.path?.toString() },
    next: refusal.allow === undefined ? "Change the desired state." : `Check the plan. To override once: ${refusal.allow}`,
    severity: "refused",
  });
}
