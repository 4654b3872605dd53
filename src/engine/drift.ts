import { find } from "../core/tree/lookup.js";
import { OTHER_DEVICE } from "../guards/other-device.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import type { Change } from "../plan/diff/change.js";
import { differencesOf, type Plan, type Refusal } from "../plan/model.js";
import { boundedMap } from "./bounded-map.js";
import { DriftCauses } from "./drift-cause.js";
import type { TargetContext } from "./pass/context.js";
import { loginOf } from "./pass/opened-target.js";
import { type Planned, recordOf } from "./pass/planner.js";
import type { ReadTarget } from "./target.js";

/**
 * Compares the desired state with the running configuration: differences, their last author, and whether they come from the desired state.
 * `planned` was made with running as the candidate, so drift and plan use the same ownership rules.
 */
export async function driftOf(target: ReadTarget, planned: Planned, context: TargetContext): Promise<Drift> {
  const { plan, live } = planned;
  const causes = new DriftCauses(planned, target.shape, context, loginOf(context));
  const items = await driftItems(target, planned, causes, differencesOf(plan));
  const { areUnknown } = causes;
  return {
    items,
    findings: plan.findings,
    refusals: uncomparedIn(plan, items.length > 0),
    pending: live.pending,
    ...(areUnknown ? { areCausesUnknown: true } : {}),
  };
}

/**
 * Returns the refusals that leave a part uncompared. If there are differences, guards of a write are omitted, because drift lists the
 * differences themselves.
 */
function uncomparedIn({ refusals, findings }: Plan, isDrifted: boolean): readonly Refusal[] {
  const kinds = new Set<string>(findings.filter(({ refuses }) => refuses).map(({ kind }) => kind));
  return refusals.filter(({ guard, stops }) => !isDrifted || stops === "subtree" || guard === OTHER_DEVICE || kinds.has(guard));
}

/** Adds the author and the cause to `changes` of the plan. */
async function driftItems(target: ReadTarget, planned: Planned, causes: DriftCauses, changes: readonly Change[]): Promise<DriftItem[]> {
  const root = planned.live.candidate;
  const rows = recordOf(planned.ledger)?.rows ?? {};
  return await boundedMap(changes, async (change) => {
    const author = await target.attribution(change.path, find(root, change.path), rows[change.path.toString()]?.id);
    const cause = causes.of(change, author);
    // The last author of an object did not make a change of git that is not applied.
    const isByOther = cause.isCauseUnknown === true || causes.isAsRecorded(change);
    return { change, attribution: isByOther ? undefined : author, ...cause };
  });
}
