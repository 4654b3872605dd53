import { PlumblineError } from "../core/errors.js";
import type { Configuration } from "../desired/configuration.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { gitIn } from "./checkout/git.js";
import type { NoticeBoard } from "./notices.js";
import type { TargetContext } from "./pass/context.js";
import type { WriteOptions } from "./pass/options.js";
import { stopsTarget } from "./pass/planner.js";
import type { Wave } from "./pass/waves.js";
import type { Approval } from "./pause.js";
import { SignedNotices } from "./signed-notices.js";

/** The approvals that a runner accepts for targets with `approve: required`. */
export interface Approvals {
  /** Returns the approval of a plan, if there is one. */
  approval(target: string, digest: string): Promise<Approval | undefined>;
}

/** Returns the approvals for a one-shot run: those in the store of this machine, and signed ones next to the ledgers. */
export function approvalsOfRun(board: NoticeBoard, { owner, agent, folder }: Configuration, stored: Approvals | undefined): Approvals {
  const signed = new SignedNotices({
    settings: () => ({ owner, rights: agent.page.rights }),
    allowedSigners: async () => agent.source.signatures?.allowedSigners ?? (await allowedSignersOfGit(folder)),
  });
  return {
    approval: async (target, digest) =>
      (await stored?.approval(target, digest)) ?? (await signedApproval((await board.everything()).approvals, signed, target, digest)),
  };
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

async function allowedSignersOfGit(folder: string): Promise<string | undefined> {
  const { stdout } = await gitIn(folder)(["config", "--path", "--get", "gpg.ssh.allowedSignersFile"]);
  return stdout.trim() || undefined;
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
  const asked = contexts.filter(({ configuration, options }) => needsApproval(configuration) && !options.allow.has("meaning"));
  if (asked.length === 0) return { contexts, refused: [] };
  const refused: TargetOutcome[] = [];
  const approved = new Set<string>();
  for (const outcome of await plan(asked)) {
    const { target, plan: planned, error } = outcome;
    const context = asked.find(({ name }) => name === target);
    const isRefused = planned?.refusals.some((refusal) => refusal.guard !== "meaning" && stopsTarget(refusal)) === true;
    if (context === undefined || planned === undefined || error !== undefined || isRefused) continue;
    if (planned.operations.length === 0 && !planned.commitOnly) continue;
    if ((await context.approvals.approval(target, planned.digest)) !== undefined) approved.add(target);
    else refused.push({ ...outcome, error: notApproved(target, planned.digest) });
  }
  const gone = new Set(refused.map(({ target }) => target));
  const left = contexts.filter(({ name }) => !gone.has(name));
  return { contexts: left.map((context) => (approved.has(context.name) ? allowingMeaning(context) : context)), refused };
}

function needsApproval({ mode, approve }: TargetContext["configuration"]): boolean {
  return mode === "enforce" && approve === "required";
}

function allowingMeaning(context: TargetContext): TargetContext {
  const { options, again } = context;
  return {
    ...context,
    options: { ...options, allow: new Map([...options.allow, ["meaning", ""]]) },
    again: async (settled) => allowingMeaning(await again.call(context, settled)),
  };
}

/**
 * Refuses to write a plan that has no approval.
 * @param planned the plan that is about to be written; `write.confirmed` has the plan of a target that waited for others
 * @throws PlumblineError `approval-required` (refused)
 */
export async function refuseUnapproved(
  { name, configuration, approvals }: TargetContext,
  { confirmed }: Pick<WriteOptions, "confirmed">,
  planned: { readonly digest: string },
): Promise<void> {
  if (configuration.approve !== "required") return;
  const { digest } = confirmed?.get(name) ?? planned;
  if ((await approvals.approval(name, digest)) === undefined) throw notApproved(name, digest);
}

function notApproved(target: string, digest: string): PlumblineError {
  return new PlumblineError("approval-required", `Plan ${digest} is not approved.`, {
    where: { target },
    next: `Approve it with \`plumbline approve ${target} ${digest}\`, then run again.`,
    severity: "refused",
  });
}
