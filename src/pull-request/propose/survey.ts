import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { deviceOf, refuseOtherDevice } from "../../engine/device-identity.js";
import { driftOf } from "../../engine/drift.js";
import type { TargetContext } from "../../engine/pass/context.js";
import { consultLedgers, loginOf, openTarget, requestFor } from "../../engine/pass/opened-target.js";
import type { Readers } from "../../engine/pass/options.js";
import { passOver } from "../../engine/pass/pass-over.js";
import { readAndPlan, recordOf } from "../../engine/pass/planner.js";
import type { Drift, TargetOutcome } from "../../outcome/outcome.js";

/** Drift of one target and what it takes to write it down: the running configuration and the commit that was applied last. */
export interface Survey {
  readonly context: TargetContext;
  readonly drift: Drift;
  /** As far as it was read; secrets are protected. */
  readonly live: TreeNode;
  readonly shape: Shape;
  /** Commit of the last proven apply; undefined where no ledger tells. */
  readonly applied: string | undefined;
}

/** A drift pass that keeps what it read. Targets that failed have an outcome and no survey. */
export async function surveyTargets(
  contexts: readonly TargetContext[],
  readers: Readers,
): Promise<{ readonly outcomes: TargetOutcome[]; readonly surveys: Survey[] }> {
  const surveys = new Map<string, Survey>();
  const outcomes = await passOver(contexts, readers.reader, async (target, context, draft) => {
    const opened = await openTarget(target, context, draft);
    const { capabilities } = opened;
    const ledgers = await consultLedgers(target, context, "running", loginOf(context), draft);
    refuseOtherDevice(recordOf(ledgers.ledger), deviceOf(opened), context.name);
    const request = requestFor(ledgers, opened);
    const planned = await readAndPlan(target, capabilities, context, request);
    draft.drift = await driftOf(target, planned, context);
    const applied = recordOf(request.ledger)?.commit;
    surveys.set(context.name, { context, drift: draft.drift, live: planned.live.candidate, shape: target.shape, applied });
  });
  return { outcomes, surveys: contexts.flatMap(({ name }) => surveys.get(name) ?? []) };
}
