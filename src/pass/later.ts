import { PlumblineError } from "../errors.js";
import type { TargetOutcome } from "../outcome.js";
import type { TargetContext } from "./context.js";
import type { WriteOptions } from "./options.js";
import type { Wave } from "./waves.js";

export interface Confirmed {
  readonly contexts: readonly TargetContext[];
  /** Digests that still have to be met when the target is planned in its wave. */
  readonly digests: WriteOptions["digests"];
  readonly refused: readonly TargetOutcome[];
}

/**
 * The digest of a plan covers expressions, not the values that come in a second wave (PLAN-AND-APPLY.md 4). Where a plan
 * file is applied, targets with such values are planned once before anything is written, and must be what the file says;
 * what the wave then fills in is not judged by the digest again.
 */
export async function confirmDigests(contexts: readonly TargetContext[], { digests }: WriteOptions, plan: Wave): Promise<Confirmed> {
  const waiting = contexts.filter(({ name, hasLater }) => hasLater && digests?.has(name) === true);
  if (digests === undefined || waiting.length === 0) return { contexts, digests, refused: [] };
  const outcomes = await plan(waiting);
  const refused = outcomes
    .filter(({ target, plan: planned, error }) => error !== undefined || planned?.digest !== digests.get(target))
    .map((outcome): TargetOutcome => ({ ...outcome, error: outcome.error ?? moved(outcome.target) }));
  const gone = new Set(refused.map(({ target }) => target));
  const confirmed = new Set(waiting.map(({ name }) => name));
  return {
    contexts: contexts.filter(({ name }) => !gone.has(name)),
    digests: new Map([...digests].filter(([name]) => !confirmed.has(name))),
    refused,
  };
}

function moved(target: string): PlumblineError {
  return new PlumblineError("plan-moved", "What would be done now is not what the plan file says", {
    where: { target },
    next: "Run `plumbline plan --out` again, look at it, and apply that.",
    severity: "refused",
  });
}

/** @throws PlumblineError `reference-later` for a target with values that nothing in this run will tell any more. */
export function refuseLater({ name, hasLater, leansOn }: TargetContext): void {
  if (!hasLater) return;
  throw new PlumblineError("reference-later", `Values that come from ${[...leansOn].join(", ")} are not known yet`, {
    where: { target: name },
    next: "See what `plumbline plan` says of those targets, and reconcile them first.",
  });
}
