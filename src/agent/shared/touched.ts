import type { CommitIndex } from "../commit-index.js";
import type { Touched } from "../store/shared/commits.js";
import { wavesOfCommit } from "../waves.js";

/** Returns the targets that a commit changes or that an earlier commit has not reached, with their waves if the roll-out has more than one. */
export function touchedBy(index: CommitIndex, affected: ReadonlySet<string>, changed = affected): Touched[] {
  const waves = wavesOfCommit(index, affected);
  const waveOf = new Map(waves.flatMap((wave, at) => wave.map((target) => [target, at + 1] as const)));
  const known = [...affected].filter((target) => index.targets.has(target));
  return known.map((target) => ({ target, wave: waves.length > 1 ? waveOf.get(target) : undefined, isChanged: changed.has(target) }));
}
