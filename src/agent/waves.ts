import { addressesOfTargets, apartOf, wavesOf } from "../engine/rollout-waves.js";
import type { CommitIndex } from "./commit-index.js";

/** The waves in which a commit reaches those of the targets that it touches that are written. */
export function wavesOfCommit({ configuration, targets }: CommitIndex, affected: ReadonlySet<string>): string[][] {
  const enforced = [...configuration.targets].flatMap(([name, { mode }]) =>
    mode === "enforce" && affected.has(name) && targets.has(name) ? [name] : [],
  );
  const { rollout } = configuration.agent;
  const apart = apartOf(rollout.apart, addressesOfTargets(configuration.targets));
  return wavesOf(enforced, rollout, apart, (name) => targets.get(name)?.references.targets ?? []);
}
