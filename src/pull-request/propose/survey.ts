import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { deviceOf, refuseOtherDevice } from "../../engine/device-identity.js";
import { driftOf } from "../../engine/drift.js";
import type { TargetContext } from "../../engine/pass/context.js";
import { consultLedgers, loginOf, openTarget, requestFor } from "../../engine/pass/opened-target.js";
import type { Readers } from "../../engine/pass/options.js";
import { readAndPlan, recordOf } from "../../engine/pass/planner.js";
import { runTargets } from "../../engine/pass/run-targets.js";
import { type NotInSync, reasonsNotInSync } from "../../outcome/in-sync.js";
import type { Drift, TargetOutcome } from "../../outcome/outcome.js";

/** Drift of one target, with the running configuration and the last applied commit. */
export interface Survey {
  readonly context: TargetContext;
  readonly drift: Drift;
  /** Contains only the parts that were read. Secrets are protected. */
  readonly live: TreeNode;
  readonly shape: Shape;
  /** Commit of the last verified apply. Undefined if no ledger records it. */
  readonly applied: string | undefined;
  /** The drift pass compared everything that the documents declare. Without drift items, the drift is then gone. */
  readonly isCompared: boolean;
}

/** Reasons of `reasonsNotInSync` that do not affect the comparison of the running configuration. */
const COMPARED: readonly NotInSync["reason"][] = ["differs", "open", "undelivered", "paused", "no-ledger"];

/** Runs a drift pass and keeps the configuration. Failed targets have an outcome, but no survey. */
export async function surveyTargets(
  contexts: readonly TargetContext[],
  readers: Readers,
): Promise<{ readonly outcomes: TargetOutcome[]; readonly surveys: Survey[] }> {
  const surveys = new Map<string, Omit<Survey, "isCompared">>();
  const outcomes = await runTargets(contexts, readers.reader, async (target, context, draft) => {
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
  const isCompared = (outcome: TargetOutcome) => reasonsNotInSync(outcome).every(({ reason }) => COMPARED.includes(reason));
  const found = outcomes.flatMap((outcome) => {
    const survey = surveys.get(outcome.target);
    return survey === undefined ? [] : [{ ...survey, isCompared: isCompared(outcome) }];
  });
  return { outcomes, surveys: found };
}
