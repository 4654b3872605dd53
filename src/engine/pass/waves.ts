import type { TargetOutcome } from "../../outcome/outcome.js";
import { asPlumblineError } from "../apply/errors.js";
import type { TargetContext } from "./context.js";

/** Processes targets in parallel and returns their outcomes. */
export type Wave = (contexts: readonly TargetContext[]) => Promise<TargetOutcome[]>;

/**
 * Processes targets in waves. A target that refers to others of this run comes after them and is loaded again with their values
 * (docs/contributing/lifecycle.md#several-targets). Targets in a dependency cycle share a wave.
 */
export async function inWaves(contexts: readonly TargetContext[], work: Wave): Promise<TargetOutcome[]> {
  const outcomes = new Map<string, TargetOutcome>();
  const settled = new Set<string>();
  let waiting = contexts;
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.filter(
      ({ name, dependencies: { dependsOn } }) => ![...dependsOn].some((other) => other !== name && names.has(other)),
    );
    const ready = free.length === 0 ? waiting : free;
    const fresh = (await Promise.all(ready.map((context) => renewed(context, settled)))).map((context) => {
      const blockedBy = [...context.dependencies.dependsOn].filter((other) => outcomes.get(other)?.error !== undefined);
      return blockedBy.length === 0 ? context : { ...context, dependencies: { ...context.dependencies, blockedBy } };
    });
    for (const outcome of await work(fresh)) outcomes.set(outcome.target, outcome);
    for (const { name } of ready) settled.add(name);
    waiting = waiting.filter(({ name }) => !settled.has(name));
  }
  return contexts.flatMap(({ name }) => outcomes.get(name) ?? []);
}

async function renewed(context: TargetContext, settled: ReadonlySet<string>): Promise<TargetContext> {
  if (![...context.dependencies.dependsOn].some((other) => settled.has(other))) return context;
  try {
    return await context.reload(settled);
  } catch (error) {
    return { ...context, dependencies: { ...context.dependencies, broken: [asPlumblineError(error, context.name)] } };
  }
}
