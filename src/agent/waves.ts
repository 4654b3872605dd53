import type { TargetConfiguration } from "../desired/configuration.js";
import type { CommitIndex } from "./commit-index.js";
import { apartOf, wavesOf } from "./rollout.js";

/** The waves in which a commit reaches those of the targets that it touches that are written. */
export function wavesOfCommit({ configuration, targets }: CommitIndex, affected: ReadonlySet<string>): string[][] {
  const enforced = [...configuration.targets].flatMap(([name, { mode }]) =>
    mode === "enforce" && affected.has(name) && targets.has(name) ? [name] : [],
  );
  const { rollout } = configuration.agent;
  const apart = apartOf(rollout.apart, addressesOf(configuration.targets));
  return wavesOf(enforced, rollout, apart, (name) => targets.get(name)?.references.targets ?? []);
}

function addressesOf(targets: ReadonlyMap<string, TargetConfiguration>) {
  const addresses = new Map<string, { readonly own: string; readonly peers: readonly string[] }>();
  for (const [name, target] of targets) {
    const { url, peers } = target;
    if (url !== undefined && peers !== undefined) addresses.set(name, { own: url, peers });
  }
  return addresses;
}
