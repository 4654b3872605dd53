import type { Named, Policy } from "../flows/policy.js";

/** Size of policies: rules, and values and members of their objects, each object once. Stops counting above `most`. */
export function weightOf(policies: readonly (Policy | undefined)[], most: number): number {
  const objects = new Set<Named<unknown>>();
  let weight = 0;
  const add = (named: readonly Named<unknown>[]): void => {
    for (const object of named) objects.add(object);
  };
  for (const policy of policies) {
    for (const { source, destination, traffic } of policy?.rules ?? []) {
      if (++weight > most) return weight;
      for (const match of [source, destination, ...traffic.map(({ services }) => services)]) if (match !== "any") add(match.objects);
    }
  }
  for (const { values, members } of objects) {
    weight += values.length + members.length;
    if (weight > most) return weight;
    add(members);
  }
  return weight;
}
