import { addressesOfTargets, apartOf, wavesOf } from "../engine/rollout-waves.js";
import type { CommitIndex } from "./commit-index.js";

/** Returns the waves of a commit. They contain the targets that it touches and that have mode `enforce`. */
export function wavesOfCommit({ configuration, targets }: CommitIndex, affected: ReadonlySet<string>): string[][] {
  const enforced = [...configuration.targets].flatMap(([name, { mode }]) =>
    mode === "enforce" && affected.has(name) && targets.has(name) ? [name] : [],
  );
  const { rollout } = configuration.agent;
  const apart = apartOf(rollout.apart, addressesOfTargets(configuration.targets));
  return wavesOf(enforced, rollout, apart, (name) => targets.get(name)?.references.targets ?? []);
}
