import type { AddressRange, FlowSet, Match, Named, Policy, ZonePairs } from "./policy.js";

/**
 * Returns the policy without rules that certainly match none of the flows. A cheap check of zones and addresses finds most of them if the
 * flows have few addresses.
 *
 * @param misses Number of fields (zones, source, destination) in which a rule may certainly not match. With 1, the result contains the rules
 *   that would match after a change of one field.
 */
export function meeting(policy: Policy, flows: readonly FlowSet[], misses: 0 | 1 = 0): Policy {
  const seen = new Map<Named<AddressRange>, Held>();
  const mayMatch = (rule: FlowSet, question: FlowSet): boolean => {
    let left = misses;
    if (!zonesMayMeet(rule.zones, question.zones) && left-- === 0) return false;
    if (!mayMeet(rule.source, question.source, seen) && left-- === 0) return false;
    return mayMeet(rule.destination, question.destination, seen) || left > 0;
  };
  return { ...policy, rules: policy.rules.filter((rule) => flows.some((question) => mayMatch(rule, question))) };
}

function zonesMayMeet(one: ZonePairs, other: ZonePairs): boolean {
  if (!namesMeet(one.from, other.from)) return false;
  return one.type === "intrazone" || other.type === "intrazone" || namesMeet(one.to, other.to);
}

function namesMeet(one: ZonePairs["from"], other: ZonePairs["from"]): boolean {
  return one === "any" || other === "any" || one.some((zone) => other.includes(zone));
}

/** All ranges of an object. Undefined if unknowns may add addresses. */
type Held = readonly AddressRange[] | undefined;

function mayMeet(one: Match<AddressRange>, other: Match<AddressRange>, seen: Map<Named<AddressRange>, Held>): boolean {
  if (one === "any" || other === "any" || one.negated || other.negated) return true;
  const others = other.objects.map((object) => heldBy(object, seen));
  if (others.includes(undefined)) return true;
  const ranges = others.flatMap((held) => held ?? []);
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
