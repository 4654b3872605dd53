import { find } from "../core/tree/lookup.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import type { Change } from "../plan/diff/change.js";
import { differencesOf, type Plan, type Refusal } from "../plan/model.js";
import { AsLeft } from "./as-left.js";
import type { TargetContext } from "./pass/context.js";
import { loginOf } from "./pass/opened-target.js";
import { OTHER_DEVICE, type Planned, recordOf } from "./pass/planner.js";
import { sideBySide } from "./side-by-side.js";
import type { ReadTarget } from "./target.js";

/**
 * Desired against running: what is missing, differs or is extra, who last touched it, and whether it is anybody's doing at all.
 * `planned` was made with the running configuration in the candidate's place, so drift and plan cannot disagree about what is owned.
 */
export async function driftOf(target: ReadTarget, planned: Planned, context: TargetContext): Promise<Drift> {
  const { plan, live } = planned;
  const items = await driftItems(target, planned, context, differencesOf(plan));
  return { items, findings: plan.findings, refusals: uncomparedIn(plan, items.length > 0), pending: live.pending };
}

/**
 * Returns the refusals that leave something uncompared. The guards of a write judge the differences that drift lists anyway; one that
 * refuses without a difference is reported as well.
 */
function uncomparedIn({ refusals, findings }: Plan, isDrifted: boolean): readonly Refusal[] {
  const kinds = new Set<string>(findings.filter(({ refuses }) => refuses).map(({ kind }) => kind));
  return refusals.filter(({ guard, stops }) => !isDrifted || stops === "subtree" || guard === OTHER_DEVICE || kinds.has(guard));
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
