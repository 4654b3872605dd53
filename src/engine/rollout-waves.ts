import type { RolloutSettings } from "../desired/configuration/agent.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";

/** Targets whose values a target takes. */
export type FollowersOf = (target: string) => Iterable<string>;

/**
 * Orders targets into waves: first canaries and the targets that they follow, then batches. Targets of a group that must stay apart are in
 * different waves. A target comes after the targets that it follows, except in a cycle. Otherwise the order is kept.
 */
export function wavesOf(
  targets: readonly string[],
  { canary, batch }: RolloutSettings,
  apart: ReadonlyMap<string, ReadonlySet<string>>,
  followed: FollowersOf,
): string[][] {
  const ordered = followedFirst(targets, followed);
  const first = new Set(canary);
  for (const target of first) for (const other of followed(target)) first.add(other);
  const canaries = ordered.filter((target) => first.has(target));
  const others = ordered.filter((target) => !first.has(target));
  return [...divide(canaries, canaries.length, apart, followed), ...divide(others, batch ?? others.length, apart, followed)];
}

/** Without recursion: a chain of targets may be as long as there are targets. */
function followedFirst(targets: readonly string[], followed: FollowersOf): readonly string[] {
  const known = new Set(targets);
  const begun = new Set<string>();
  const ordered: string[] = [];
  for (const target of targets) {
    const path = [{ target, others: begun.has(target) ? undefined : followed(target)[Symbol.iterator]() }];
    begun.add(target);
    for (let last = path.at(-1); last?.others !== undefined; last = path.at(-1)) {
      const { value: other, done } = last.others.next();
      if (done === true) {
        ordered.push(last.target);
        path.pop();
      } else if (known.has(other) && !begun.has(other)) {
        begun.add(other);
        path.push({ target: other, others: followed(other)[Symbol.iterator]() });
      }
    }
  }
  return ordered;
}

function divide(
  targets: readonly string[],
  most: number,
  apart: ReadonlyMap<string, ReadonlySet<string>>,
  followed: FollowersOf,
): string[][] {
  const waves: { readonly members: string[]; readonly barred: Set<string> }[] = [];
  const waveOf = new Map<string, number>();
  let firstWithRoom = 0;
  for (const target of targets) {
    let at = firstWithRoom;
    for (const other of followed(target)) at = Math.max(at, waveOf.get(other) ?? 0);
    while (waves[at] !== undefined && ((waves[at]?.members.length ?? 0) >= most || waves[at]?.barred.has(target) === true)) at += 1;
    waves[at] ??= { members: [], barred: new Set() };
    const wave = waves[at];
    wave?.members.push(target);
    waveOf.set(target, at);
    for (const other of apart.get(target) ?? []) wave?.barred.add(other);
    while ((waves[firstWithRoom]?.members.length ?? 0) >= most) firstWithRoom += 1;
  }
  return waves.map(({ members }) => members);
}

/** Targets that must not be changed together: groups of the configuration, and targets one of which is the other's peer. */
export function apartOf(
  groups: readonly (readonly string[])[],
  addresses: ReadonlyMap<string, { readonly own: string; readonly peers: readonly string[] }>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const apart = new Map<string, Set<string>>();
  const bar = (a: string, b: string): void => {
    if (a === b) return;
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const barred = apart.get(one) ?? new Set();
      barred.add(other);
      apart.set(one, barred);
    }
  };
  for (const group of groups) for (const a of group) for (const b of group) bar(a, b);
  const byAddress = new Map([...addresses].map(([name, { own }]) => [hostOf(own), name]));
  for (const [name, { peers }] of addresses) {
    for (const peer of peers) {
      const other = byAddress.get(hostOf(peer));
      if (other !== undefined) bar(name, other);
    }
  }
  return apart;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Addresses of targets that name peers, and of these peers. */
export function addressesOfTargets(targets: ReadonlyMap<string, Pick<TargetConfiguration, "url" | "peers">>) {
  const addresses = new Map<string, { readonly own: string; readonly peers: readonly string[] }>();
  for (const [name, target] of targets) {
    const { url, peers } = target;
    if (url !== undefined && peers !== undefined) addresses.set(name, { own: url, peers });
  }
  return addresses;
}
