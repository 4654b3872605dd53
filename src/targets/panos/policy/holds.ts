import type { AddressRange, Named, ServiceRange, Unknown } from "../../../insight/policy.js";

/** Whether an object holds a value: surely, surely not, or as these unknowns say. */
export type Holding = boolean | readonly Unknown[];

export function holdsAddress(object: Named<AddressRange>, address: bigint): Holding {
  return holding(object, ({ first, last }) => first <= address && address <= last);
}

/** Source ports are left open: an object that asks for some is read as if it asked for none. */
export function holdsService(object: Named<ServiceRange>, protocol: number, port: number): Holding {
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

/** Ranges that an object holds surely, members' included; undefined where it may hold others. */
export function rangesOf(object: Named<AddressRange>): readonly AddressRange[] | undefined {
  const members = object.members.map(rangesOf);
  if (object.unknowns.length > 0 || members.includes(undefined)) return undefined;
  return [...object.values, ...members.flatMap((ranges) => ranges ?? [])];
}
