import { PlumblineError } from "../core/errors.js";
import type { Configuration, TargetConfiguration } from "../desired/configuration/configuration.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { asPlumblineError } from "./apply/errors.js";
import type { NoticeBoard } from "./notices.js";
import type { TargetContext, TargetRecords } from "./pass/context.js";
import type { WriteOptions } from "./pass/options.js";
import { stopsTarget } from "./pass/planner.js";
import type { Wave } from "./pass/waves.js";
import type { Approval } from "./pause.js";
import { SignedNotices } from "./signed-notices.js";
import type { ApprovalSettings } from "./target-branch.js";

/** The approvals that a runner accepts for targets with `approve: required`. */
export interface Approvals {
  /** Returns whether each plan of the target needs an approval. */
  isRequired(target: TargetConfiguration): Promise<boolean>;
  /**
   * Returns the approval of a plan, if there is one.
   * @throws PlumblineError `approval-branch-unknown`, `approval-branch-invalid` (refused)
   */
  approval(target: string, digest: string): Promise<Approval | undefined>;
}

/**
 * Returns the approvals for a one-shot run: those in the store of this machine, and signed ones next to the ledgers. The target branch
 * decides who may approve. The checkout can require an approval for further targets, but not for fewer.
 */
export function approvalsOfRun(
  board: NoticeBoard,
  configuration: Configuration,
  settings: () => Promise<ApprovalSettings>,
  stored: StoredApprovals | undefined,
): Approvals {
  let reading: Promise<ApprovalSettings> | undefined;
  // A failure is kept too: the refs do not change during a run.
  const atBranch = () => {
    reading ??= settings();
    return reading;
  };
  return {
    isRequired: async ({ name, approve }) => {
      if (approve === "required") return true;
      const known = await atBranch().catch(unlessUnknown);
      return known?.isRequired(name) === true;
    },
    approval: async (target, digest) => {
      const { rights, allowedSigners } = await atBranch();
      const signed = new SignedNotices({ settings: () => ({ owner: configuration.owner, rights }), allowedSigners });
      return (
        (await stored?.approval(target, digest)) ?? (await signedApproval((await board.everything()).approvals, signed, target, digest))
      );
    },
  };
}

/** Approvals in the store of a machine. */
export type StoredApprovals = Pick<Approvals, "approval">;

/** A clone without the target branch cannot know whether it requires approvals. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof PlumblineError && error.code === "approval-branch-unknown") return undefined;
  throw error;
}

/** Returns the first approval of the plan that a person with the role signed. */
export async function signedApproval(
  approvals: readonly Approval[],
  signed: Pick<SignedNotices, "approver">,
  target: string,
  digest: string,
): Promise<Approval | undefined> {
  for (const approval of approvals) {
    if (approval.target !== target || approval.digest !== digest) continue;
    const by = await signed.approver(approval);
    if (by !== undefined) return { ...approval, by };
  }
  return undefined;
}

interface Approved {
  readonly contexts: readonly TargetContext[];
  readonly refused: readonly TargetOutcome[];
}

/**
 * Plans the targets with `approve: required` and keeps those with an approved plan, or without work. An approval also
 * allows changes of meaning. A run that allows them already was planned before: `refuseUnapproved` checks it before the
 * first write, as it checks every run.
 */
export async function onlyApproved(contexts: readonly TargetContext[], plan: Wave): Promise<Approved> {
  const needs = await Promise.all(contexts.map(needsApproval));
  const approvable = contexts.filter(({ options }, index) => needs[index] === true && !options.overrides.allow.has("meaning"));
  if (approvable.length === 0) return { contexts, refused: [] };
  const refused: TargetOutcome[] = [];
  const approved = new Set<string>();
  for (const outcome of await plan(approvable)) {
    const { target, plan: planned, error } = outcome;
    const context = approvable.find(({ name }) => name === target);
    const isRefused = planned?.refusals.some((refusal) => refusal.guard !== "meaning" && stopsTarget(refusal)) === true;
    if (context === undefined || planned === undefined || error !== undefined || isRefused) continue;
    if (planned.operations.length === 0 && !planned.commitOnly) continue;
    const refusal = await refusalOf(context, planned.digest);
    if (refusal === undefined) approved.add(target);
    else refused.push({ ...outcome, error: refusal });
  }
  const refusedTargets = new Set(refused.map(({ target }) => target));
  const left = contexts.filter(({ name }) => !refusedTargets.has(name));
  return { contexts: left.map((context) => (approved.has(context.name) ? allowingMeaning(context) : context)), refused };
}

async function needsApproval({ configuration, records: { approvals } }: TargetContext): Promise<boolean> {
  return configuration.mode === "enforce" && (await approvals.isRequired(configuration));
}

/** Returns why a plan is not approved. */
async function refusalOf(
  { name, records: { approvals } }: { readonly name: string; readonly records: Pick<TargetRecords, "approvals"> },
  digest: string,
): Promise<PlumblineError | undefined> {
  try {
    return (await approvals.approval(name, digest)) === undefined ? notApproved(name, digest) : undefined;
  } catch (error) {
    return asPlumblineError(error, name);
  }
}

function allowingMeaning(context: TargetContext): TargetContext {
  const { options, reload } = context;
  return {
    ...context,
    options: { ...options, overrides: { ...options.overrides, allow: new Map([...options.overrides.allow, ["meaning", ""]]) } },
    reload: async (settled) => allowingMeaning(await reload.call(context, settled)),
  };
}

/**
 * Refuses to write a plan that has no approval.
 * @param planned the plan that is about to be written; `write.confirmed` has the plan of a target that waited for others
 * @throws PlumblineError `approval-required` (refused)
 */
export async function refuseUnapproved(
  { name, configuration, records: { approvals } }: TargetContext,
  { confirmed }: Pick<WriteOptions, "confirmed">,
  planned: { readonly digest: string },
): Promise<void> {
  if (!(await approvals.isRequired(configuration))) return;
  const refusal = await refusalOf({ name, records: { approvals } }, (confirmed?.get(name) ?? planned).digest);
  if (refusal !== undefined) throw refusal;
}

function notApproved(target: string, digest: string): PlumblineError {
  return new PlumblineError("approval-required", `Plan ${digest} is not approved.`, {
    where: { target },
    next: `Approve it with \`plumbline approve ${target} ${digest}\`, then run again.`,
    severity: "refused",
  });
}
