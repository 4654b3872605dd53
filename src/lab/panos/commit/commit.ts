import type { TreeNode } from "../../../core/tree/node.js";
import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { anotherCommit, deniedOnPassive, NOTHING_TO_COMMIT, SAME_AS_PREVIOUS } from "../device-messages.js";
import { enqueued, type Reply, success } from "../http/reply.js";
import { componentOf, type PendingEdit } from "../state/change.js";
import { HIERARCHY } from "../state/device-groups.js";
import { replay } from "../state/replay.js";
import { findChild } from "../tree/sibling-index.js";
import { withSingleChoices } from "../validation/on-commit.js";
import type { JobOutcome } from "./jobs.js";
import { synchronisePeer } from "./pair.js";
import { isInScope, type Scope, scopeOf, splitRulebase } from "./scope.js";

/** Fault that a test injects into the job of a request. */
export interface JobFault {
  readonly neverEnds?: boolean;
  readonly failsWith?: readonly string[];
  /** The job reports success but commits no edit. */
  readonly doesNothing?: boolean;
}

const DONE = "Configuration committed successfully";

/**
 * Handles `type=commit`: enqueues a commit of all pending edits, or of the edits in the scope of `<partial>`. With `<validate>`, it only
 * validates.
 */
export function commit(device: LabDevice, admin: Administrator, command: TreeNode, fault: JobFault = {}): Reply {
  const onlyValidate = findChild(command.children, "validate");
  if (onlyValidate !== undefined && !device.capabilities.validate) throw new DeviceError("17", "commit -> validate unexpected here");
  if (onlyValidate !== undefined) return validate(device, admin, findChild(onlyValidate.children, "partial"), fault);
  refuseNow(device, admin.name);
  const force = findChild(command.children, "force");
  const partial = findChild(command.children, "partial") ?? (force === undefined ? undefined : findChild(force.children, "partial"));
  if (partial !== undefined && !device.capabilities.partialCommit) throw new DeviceError("17", "commit -> partial unexpected here");
  const scope = scopeOf(partial);
  const queued = new Set(device.jobs.open().flatMap((job) => queuedEdits.get(job.run) ?? []));
  const selected = device.candidate.pending.filter((edit) => isInScope(edit, scope));
  const fresh = selected.filter((edit) => !queued.has(edit));
  if (fresh.length === 0 && force === undefined) return nothing(admin, selected.length > 0);
  const description = findChild(command.children, "description")?.text ?? findChild(force?.children ?? [], "description")?.text ?? "";
  const run = commitRun(device, admin.name, description, selected, partial === undefined ? undefined : scope, fault);
  const job = device.jobs.enqueue({ type: "Commit", user: admin.name, description, duration: durationOf(device, fault), run });
  return enqueued(`Commit job enqueued with jobid ${job.id}`, job.id);
}

/** Handles `<validate>`: enqueues a job that checks the configuration that a commit of the scope would create. */
export function validate(device: LabDevice, admin: Administrator, partial: TreeNode | undefined, fault: JobFault = {}): Reply {
  refuseBusy(device);
  const scope = scopeOf(partial);
  const all = [...device.candidate.pending];
  const root = device.candidate.tree.freeze();
  const run = (): JobOutcome =>
    fault.failsWith === undefined
      ? outcomeOf(
          () => checked(device, partial === undefined ? root : replayed(device, all, scope), partial !== undefined || wantsReferences(all)),
          "Configuration is valid",
        )
      : failed(fault.failsWith);
  const job = device.jobs.enqueue({ type: "Validate", user: admin.name, description: "", duration: durationOf(device, fault), run });
  return enqueued(`Validate job enqueued with jobid ${job.id}`, job.id);
}

/** Edits that a waiting or running job already commits. Another commit of the same edits has no effect. */
const queuedEdits = new WeakMap<() => JobOutcome, readonly PendingEdit[]>();

function commitRun(
  device: LabDevice,
  admin: string,
  description: string,
  selected: readonly PendingEdit[],
  scope: Scope | undefined,
  fault: JobFault,
): () => JobOutcome {
  const snapshot = device.candidate.tree.freeze();
  const all = [...device.candidate.pending];
  const taken = new Set(selected);
  const left = all.filter((edit) => !taken.has(edit));
  const isIdle = fault.doesNothing === true;
  const run = (): JobOutcome => {
    const outcome = fault.failsWith !== undefined ? failed(fault.failsWith) : outcomeOf(() => (isIdle ? undefined : apply()), DONE);
    note(device, admin, description, run, isIdle ? [] : selected, outcome);
    return outcome;
  };
  const apply = (): void => {
    const split = scope === undefined ? undefined : splitRulebase(selected, left);
    if (split !== undefined) {
      throw new DeviceError(undefined, `${split.rulebase}: rules changed by ${split.owners.join(", ")} must be committed together`);
    }
    const isComplete = scope === undefined || selected.length === all.length;
    const root = isComplete ? snapshot : replay(device.running, selected, device.settings);
    settle(device, admin, description, checked(device, root, !isComplete || wantsReferences(selected)), selected);
  };
  queuedEdits.set(run, selected);
  return run;
}

function settle(device: LabDevice, admin: string, description: string, root: TreeNode, selected: readonly PendingEdit[]): void {
  const { candidate } = device;
  device.running = withSingleChoices(root);
  candidate.settle(new Set(selected));
  const single = candidate.tree.root === root ? device.running : withSingleChoices(candidate.tree.root);
  if (single !== candidate.tree.root) candidate.reset(single, candidate.pending);
  const version = { time: device.now(), admin, description, edits: selected };
  device.saved.addVersion({ ...version, root: device.running });
  device.locks.releaseAfterCommit(admin);
  synchronisePeer(device, version);
}

function checked(device: LabDevice, root: TreeNode, references: boolean): TreeNode {
  const finding = device.settings.checkValues ? device.validation.firstFinding(root, references) : undefined;
  if (finding !== undefined) throw new DeviceError("12", finding);
  return root;
}

/**
 * Returns whether references must be checked at commit. The checks of single edits miss two cases: a loaded configuration, and the
 * references of a moved device group.
 */
function wantsReferences(edits: readonly PendingEdit[]): boolean {
  const hierarchy = HIERARCHY.toString();
  return edits.some(({ edit, effect }) => edit.action === "load" || effect.xpath.startsWith(hierarchy));
}

function replayed(device: LabDevice, pending: readonly PendingEdit[], scope: Scope): TreeNode {
  return replay(
    device.running,
    pending.filter((edit) => isInScope(edit, scope)),
    device.settings,
  );
}

function outcomeOf(work: () => unknown, line: string): JobOutcome {
  try {
    work();
    return { ok: true, lines: [line] };
  } catch (error) {
    if (error instanceof DeviceError)
      return { ok: false, lines: ["Validation Error:", ...error.lines.map((text) => ` ${text.trim()}`), "Commit failed"] };
    throw error;
  }
}

function failed(lines: readonly string[]): JobOutcome {
  return { ok: false, lines };
}

function note(
  device: LabDevice,
  admin: string,
  description: string,
  run: () => JobOutcome,
  selected: readonly PendingEdit[],
  { ok, lines }: JobOutcome,
): void {
  const job = device.jobs.all().find((each) => each.run === run);
  const edits = selected.map(({ stamp, edit, effect }) => ({
    admin: stamp.admin,
    action: edit.action,
    xpath: effect.xpath,
    component: componentOf(effect.xpath),
  }));
  device.commits.push({
    device: device.name,
    job: job?.id ?? 0,
    time: device.now(),
    admin,
    description,
    ok,
    lines,
    edits: ok ? edits : [],
  });
}

function nothing(admin: Administrator, queued: boolean): Reply {
  if (queued || admin.role.kind === "custom") return success("13", [`<msg>${SAME_AS_PREVIOUS}</msg>`], SAME_AS_PREVIOUS);
  return success("19", [`<msg>${NOTHING_TO_COMMIT}</msg>`], NOTHING_TO_COMMIT);
}

function refuseNow(device: LabDevice, admin: string): void {
  if (device.haState === "passive" && device.options.behavior?.passiveRefuses !== false) throw deniedOnPassive();
  device.locks.refuseCommit(admin);
  refuseBusy(device);
}

function refuseBusy(device: LabDevice): void {
  const waiting = device.jobs.open().length;
  if (waiting > (device.options.limits?.commitQueue ?? 10)) throw anotherCommit();
}

function durationOf(device: LabDevice, fault: JobFault): number {
  return fault.neverEnds === true ? Number.POSITIVE_INFINITY : (device.options.jobDuration ?? 20);
}
