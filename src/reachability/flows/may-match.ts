import type { AddressRange, FlowSet, Match, Named, Policy } from "./policy.js";

/**
 * Returns the policy without rules that certainly do not match the flows. A cheap check finds most of them if a flow has one address on
 * each side.
 */
export function meeting(policy: Policy, flows: FlowSet): Policy {
  const seen = new Map<Named<AddressRange>, Held>();
  const mayMatch = ({ zones, source, destination }: FlowSet): boolean =>
    (zones.from === "any" || flows.zones.from === "any" || zones.from.some((zone) => flows.zones.from.includes(zone))) &&
    mayMeet(source, flows.source, seen) &&
    mayMeet(destination, flows.destination, seen);
  return { ...policy, rules: policy.rules.filter(mayMatch) };
}

/** All ranges of an object. Undefined if unknowns may add addresses. */
type Held = readonly AddressRange[] | undefined;

function mayMeet(one: Match<AddressRange>, other: Match<AddressRange>, seen: Map<Named<AddressRange>, Held>): boolean {
  if (one === "any" || other === "any" || one.negated || other.negated) return true;
  const asked = other.objects.map((object) => heldBy(object, seen));
  if (asked.includes(undefined)) return true;
  const ranges = asked.flatMap((held) => held ?? []);
  return one.objects.some((object) => {
    const held = heldBy(object, seen);
    return held === undefined || held.some(({ first, last }) => ranges.some((range) => first <= range.last && range.first <= last));
  });
}

function heldBy(object: Named<AddressRange>, seen: Map<Named<AddressRange>, Held>): Held {
  if (seen.has(object)) return seen.get(object);
  const members = object.members.map((member) => heldBy(member, seen));
  const isOpen = object.unknowns.length > 0 || members.includes(undefined);
  const held = isOpen ? undefined : [...object.values, ...members.flatMap((each) => each ?? [])];
  seen.set(object, held);
  return held;
}
