import { find } from "../../core/tree/lookup.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Plan } from "../../plan/model.js";
import type { ReadTarget } from "../target.js";

/** Adds a finding for each quota that the plan would exceed, before anything is sent. The rest of the plan is applied. */
export async function withQuota(plan: Plan, desired: DesiredNode, { room }: ReadTarget): Promise<Plan> {
  if (room === undefined || plan.operations.length === 0) return plan;
  const shortages = await room.shortOf(plan.changes);
  const findings = shortages.map(({ path, message }) => {
    const origin = (find(desired, path) as DesiredNode | undefined)?.origin ?? -1;
    return { kind: "no-room" as const, path, message, origin, refuses: false };
  });
  return findings.length === 0 ? plan : { ...plan, findings: [...plan.findings, ...findings] };
}
