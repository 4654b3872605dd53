import type { TargetContext } from "./context.js";

/**
 * The context of a run that writes: what lies below a path that is only observed, or proposed, counts as right. A run
 * that looks (`drift`) keeps to the context as it is and shows it.
 */
export function withoutWatchedPaths(context: TargetContext): TargetContext {
  if (context.pathModes.size === 0) return context;
  const watched = [...context.pathModes].map(([path, mode]) => ({
    path,
    owner: context.owner,
    reason: `mode: ${mode}`,
    until: undefined,
    origin: -1,
  }));
  return { ...context, desired: { ...context.desired, ignores: [...context.desired.ignores, ...watched] } };
}
