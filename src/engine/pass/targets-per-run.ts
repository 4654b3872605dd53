import { allowancesOf } from "../../guards/allow.js";
import type { RunFacts } from "../../guards/context.js";
import { refuseManyTargets, TARGETS } from "../../guards/targets.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { addressesOfTargets, apartOf, wavesOf } from "../rollout-waves.js";
import type { TargetContext } from "./context.js";

/** The targets that one commit writes to at the same time, as far as they have been planned. */
export interface TargetCount {
  readonly size: number;
  /** Notes whether there is anything to write to a target. */
  note(target: string, writes: boolean): void;
}

/** Counts the targets of one run. A target counts once it is planned. */
export class TargetsOfRun implements TargetCount {
  readonly #names = new Set<string>();

  get size(): number {
    return this.#names.size;
  }

  note(target: string, writes: boolean): void {
    if (writes) this.#names.add(target);
    else this.#names.delete(target);
  }
}

/** Notes whether there is anything to write to a target, and returns the count for guard `targets`. */
export function countTarget(
  { name, configuration, run: { atOnce }, settings: { guards } }: TargetContext,
  writes: boolean,
): RunFacts["targetsOfRun"] {
  if (atOnce === undefined || configuration.mode !== "enforce") return undefined;
  atOnce.note(name, writes);
  return { count: atOnce.size, limit: guards.targets };
}

/** Reports whether a run has so many targets that all must be planned before the first write. */
export function mayBeTooMany(contexts: readonly TargetContext[]): boolean {
  const [first] = contexts;
  return first !== undefined && contexts.length > Math.max(first.settings.guards.targets, allowedOf(first.options.overrides.allow));
}

/**
 * Applies the limit after all targets of a run are planned, because the first ones were planned while the count was still low. If an
 * agent's waves keep to the limit, the result is a warning and not a refusal, unless the run is manual.
 */
export function judgedTogether(outcomes: readonly TargetOutcome[], contexts: readonly TargetContext[]): TargetOutcome[] {
  const byName = new Map(contexts.map((context) => [context.name, context]));
  const writes = (outcome: TargetOutcome): boolean => (outcome.plan?.operations.length ?? 0) > 0 || outcome.plan?.commitOnly === true;
  const written = new Set(outcomes.filter(writes).map(({ target }) => target));
  const touched = contexts.filter(({ name, configuration }) => configuration.mode === "enforce" && written.has(name));
  const waves = wavesFor(touched);
  return outcomes.map((outcome) => {
    const context = byName.get(outcome.target);
    if (context === undefined || outcome.plan === undefined || outcome.error !== undefined) return outcome;
    const targetsOfRun = countTarget(context, writes(outcome));
    const [refusal] = refuseManyTargets({ targetsOfRun, writes: writes(outcome), allow: allowancesOf(context.options.overrides.allow) });
    if (refusal === undefined) return outcome;
    const others = outcome.plan.refusals.filter(({ guard }) => guard !== TARGETS);
    if (context.options.isByHand !== true && (waves[0]?.length ?? 0) <= context.settings.guards.targets) {
      const warning = `${touched.length} targets would be written: an agent does it in ${waves.length} waves, a manual run needs ${refusal.allow}`;
      return { ...outcome, plan: { ...outcome.plan, refusals: others }, warnings: [...outcome.warnings, warning] };
    }
    return { ...outcome, plan: { ...outcome.plan, refusals: [refusal, ...others] } };
  });
}

function wavesFor(touched: readonly TargetContext[]): string[][] {
  const [first] = touched;
  if (first === undefined) return [];
  const {
    settings: { rollout },
  } = first;
  const byName = new Map(touched.map((context) => [context.name, context]));
  const apart = apartOf(rollout.apart, addressesOfTargets(new Map(touched.map(({ name, configuration }) => [name, configuration]))));
  return wavesOf([...byName.keys()], rollout, apart, (name) => byName.get(name)?.dependencies.dependsOn ?? []);
}

function allowedOf(allow: ReadonlyMap<string, string>): number {
  return Number(allow.get(TARGETS) ?? 0);
}
