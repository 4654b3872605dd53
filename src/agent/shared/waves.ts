import type { Touched } from "../../store/shared/commits.js";
import type { CommitIndex } from "../commit-index.js";
import { apartOf, wavesOf } from "../rollout.js";
import { addressesOf } from "../rollouts.js";

/** The targets that a commit touches, those that are written in the waves of its roll-out, where it has more than one. */
export function touchedBy({ configuration, targets }: CommitIndex, affected: ReadonlySet<string>): Touched[] {
  const known = [...affected].filter((target) => targets.has(target));
  const order = [...configuration.targets.keys()].filter((name) => affected.has(name) && targets.has(name));
  const enforced = order.filter((name) => configuration.targets.get(name)?.mode === "enforce");
  const { rollout } = configuration.agent;
  const followed = (name: string): Iterable<string> => targets.get(name)?.references.targets ?? [];
  const waves = wavesOf(enforced, rollout, apartOf(rollout.apart, addressesOf(configuration.targets)), followed);
  const waveOf = new Map(waves.flatMap((wave, index) => wave.map((target) => [target, index + 1] as const)));
  return known.map((target) => ({ target, wave: waves.length > 1 ? waveOf.get(target) : undefined }));
}
