import type { AddressRange, Named, ServiceRange, Unknown } from "../../../reachability/flows/policy.js";

/** Whether an object contains a value: yes, no, or dependent on these unknowns. */
export type Holding = boolean | readonly Unknown[];

export function containsAddress(object: Named<AddressRange>, address: bigint): Holding {
  return holding(object, ({ first, last }) => first <= address && address <= last);
}

/** Source ports are ignored: an object with source ports is treated as if it had none. */
export function containsService(object: Named<ServiceRange>, protocol: number, port: number): Holding {
  return holding(object, (range) => range.protocol === protocol && range.first <= port && port <= range.last);
}

function holding<Value>(object: Named<Value>, isIn: (value: Value) => boolean): Holding {
  const unknowns: Unknown[] = [];
  const seen = new Set<Named<Value>>();
  const open = [object];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (at.values.some(isIn)) return true;
    unknowns.push(...at.unknowns);
    open.push(...at.members);
  }
  return unknowns.length === 0 ? false : unknowns;
}

/** Returns all ranges of an object, including its members. Undefined if it may contain others. */
export function rangesOf(object: Named<AddressRange>): readonly AddressRange[] | undefined {
  const members = object.members.map(rangesOf);
  if (object.unknowns.length > 0 || members.includes(undefined)) return undefined;
  return [...object.values, ...members.flatMap((ranges) => ranges ?? [])];
}
