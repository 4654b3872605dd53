import type { TargetContext } from "./context.js";

/**
 * Returns the context of a run that may write. The run does not write at or below a path in mode `observe` or `propose`; the plan lists the
 * differences there as `observed`. `drift` uses the context unchanged.
 */
export function withoutWatchedPaths(context: TargetContext): TargetContext {
  if (context.settings.pathModes.size === 0) return context;
  const watched = [...context.settings.pathModes].map(([path, mode]) => ({
    path,
    owner: context.owner,
    reason: `mode: ${mode}`,
    until: undefined,
    origin: -1,
    isObserved: true,
  }));
  return { ...context, desired: { ...context.desired, ignores: [...context.desired.ignores, ...watched] } };
}
