import { PlumblineError } from "../../core/errors.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { Plan } from "../../plan/model.js";
import { isAsPlanned } from "./as-planned.js";
import type { TargetContext } from "./context.js";
import type { WriteOptions } from "./options.js";
import { onlyFillsPlaceholders } from "./placeholders-only.js";
import type { Wave } from "./waves.js";

export interface Confirmed {
  readonly contexts: readonly TargetContext[];
  /** Digests that still have to be met when the target is planned in its wave. */
  readonly digests: WriteOptions["digests"];
  /** Plans that were confirmed before the first write. Later plans of these targets may only fill in unknown values. */
  readonly confirmed: ReadonlyMap<string, Plan>;
  readonly refused: readonly TargetOutcome[];
}

/**
 * Plans targets that wait for other targets once before the first write, if the run is bound to a plan file. The digest of a plan covers
 * expressions, not the values that follow in a second wave (docs/contributing/plan.md#digest). These plans must match the file; the later wave may then
 * only fill in unknown values (`onlyFillsPlaceholders`).
 */
export async function confirmDigests(contexts: readonly TargetContext[], write: WriteOptions, plan: Wave): Promise<Confirmed> {
  const { digests } = write;
  const waiting = contexts.filter(
    ({ name, dependencies: { hasKnownAfterApply, awaitsDependencies } }) =>
      (hasKnownAfterApply || awaitsDependencies) && digests?.has(name) === true,
  );
  if (digests === undefined || waiting.length === 0) return { contexts, digests, confirmed: new Map(), refused: [] };
  const outcomes = await plan(waiting);
  const refused = outcomes
    .filter(({ plan: planned, error }) => error !== undefined || planned === undefined || !isAsPlanned(planned, write))
    .map((outcome): TargetOutcome => ({ ...outcome, error: outcome.error ?? moved(outcome.target) }));
  const refusedNames = new Set(refused.map(({ target }) => target));
  const confirmed = new Map(outcomes.flatMap(({ target, plan: planned }) => (planned === undefined ? [] : [[target, planned] as const])));
  return {
    contexts: contexts.filter(({ name }) => !refusedNames.has(name)),
    digests: new Map([...digests].filter(([name]) => !confirmed.has(name))),
    confirmed,
    refused,
  };
}

function moved(target: string): PlumblineError {
  return new PlumblineError("plan-moved", "The current plan differs from the plan file", {
    where: { target },
    next: "Run `plumbline plan --out` again, review it, and apply that.",
    severity: "refused",
  });
}

/** @throws PlumblineError `plan-moved` if a later wave would do more than fill in the confirmed plan. */
export function refuseMoreThanFilled(before: Plan | undefined, after: Plan): void {
  if (before !== undefined && !onlyFillsPlaceholders(before, after)) throw moved(after.target);
}

/** @throws PlumblineError `reference-later` for a target whose values are still unknown at the end of the run. */
export function refuseKnownAfterApply({ name, dependencies: { hasKnownAfterApply, dependsOn } }: TargetContext): void {
  if (!hasKnownAfterApply) return;
  throw new PlumblineError("reference-later", `Values from ${[...dependsOn].join(", ")} are known only after apply`, {
    where: { target: name },
    next: "Check `plumbline plan` for those targets, and reconcile them first.",
  });
}
