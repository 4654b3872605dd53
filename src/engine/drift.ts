import { find } from "../core/tree/lookup.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import type { Change } from "../plan/diff/change.js";
import { differencesOf } from "../plan/model.js";
import { AsLeft } from "./as-left.js";
import type { TargetContext } from "./pass/context.js";
import { loginOf } from "./pass/opened-target.js";
import { type Planned, recordOf } from "./pass/planner.js";
import { sideBySide } from "./side-by-side.js";
import type { ReadTarget } from "./target.js";

/**
 * Desired against running: what is missing, differs or is extra, who last touched it, and whether it is anybody's doing at all.
 * `planned` was made with the running configuration in the candidate's place, so drift and plan cannot disagree about what is owned.
 */
export async function driftOf(target: ReadTarget, planned: Planned, context: TargetContext): Promise<Drift> {
  const { plan, live } = planned;
  return { items: await driftItems(target, planned, context, differencesOf(plan)), findings: plan.findings, pending: live.pending };
}

/** `changes` of the plan, with all that is known of how they came. */
async function driftItems(target: ReadTarget, planned: Planned, context: TargetContext, changes: readonly Change[]): Promise<DriftItem[]> {
  const root = planned.live.candidate;
  const asLeft = new AsLeft(planned, target.shape, context, loginOf(context));
  const rows = recordOf(planned.ledger)?.rows ?? {};
  return await sideBySide(changes, async (change) => {
    const attribution = await target.attribution(change.path, find(root, change.path), rows[change.path.toString()]?.id);
    return { change, attribution, ...asLeft.of(change, attribution) };
  });
}
