import { childByTag } from "../../../core/tree/lookup.js";
import type { AddressRange, FlowSet, Match, Named } from "../../../reachability/flows/policy.js";
import type { TranslatedFlows } from "../../../reachability/policy-role.js";
import { textOf } from "../security-rule.js";
import { Addresses } from "./addresses.js";
import { rangesOf } from "./contains-value.js";
import { matchedBy, membersOf, NameScopes } from "./name-scopes.js";
import { type NatRule, natRulesOf, outsideOf, worksBothWays } from "./nat.js";
import { Reading, type ReadingOptions } from "./reading.js";
import type { EffectiveSystem } from "./systems.js";

type Objects = readonly Named<AddressRange>[];

/** The public and the private side of a NAT rule that translates destinations. */
interface Sides {
  /** Source zones of such flows. */
  readonly zones: "any" | readonly string[];
  readonly before: Match<AddressRange>;
  readonly after: Objects;
  readonly changesPort: boolean;
}

/**
 * Returns the flows that NAT rules send to the destination of a question. Security rules match the address before NAT and the zone after
 * NAT, so a rule for another address allows such a flow. Empty for a question about any destination, which includes these flows.
 */
export function translatedFlows(system: EffectiveSystem, flows: FlowSet, options: ReadingOptions): TranslatedFlows[] {
  const wanted = flows.destination;
  if (wanted === "any") return [];
  const addresses = new Addresses(new NameScopes(system.names), new Reading(options));
  return natRulesOf(system).flatMap((nat): TranslatedFlows[] => {
    return sidesOf(nat, addresses).flatMap(({ zones, before, after, changesPort }) => {
      const from = both(flows.zones.from, zones);
      if ((from !== "any" && from.length === 0) || !mayMeet(wanted.objects, after)) return [];
      const traffic = changesPort ? flows.traffic.map((each) => ({ ...each, services: "any" as const })) : flows.traffic;
      return [{ rule: nat.rule.name ?? "", flows: { ...flows, zones: { ...flows.zones, from }, destination: before, traffic } }];
    });
  });
}

/** Returns the NAT rules that may send flows of a question to another destination. */
export function destinationRules(system: EffectiveSystem, flows: FlowSet, options: ReadingOptions): string[] {
  const { destination, zones: flowZones } = flows;
  const addresses = new Addresses(new NameScopes(system.names), new Reading(options));
  const meets = (one: FlowSet["zones"]["from"], other: "any" | readonly string[]) => both(one, other).length > 0;
  return natRulesOf(system).flatMap((nat) => {
    const isMet = sidesOf(nat, addresses).some(({ zones, before }, at) => {
      // The reverse direction of a rule comes second. It is not limited to the zones of the rule.
      const to = at === 0 ? matchedBy(nat.rule, "to") : "any";
      const isAddress = destination === "any" || before === "any" || mayMeet(destination.objects, before.objects);
      return isAddress && meets(flowZones.from, zones) && meets(flowZones.to, to);
    });
    return isMet ? [nat.rule.name ?? ""] : [];
  });
}

function sidesOf({ rule }: NatRule, addresses: Addresses): Sides[] {
  const translation = childByTag(rule, "destination-translation") ?? childByTag(rule, "dynamic-destination-translation");
  const to = translation === undefined ? undefined : textOf(translation, "translated-address");
  const original = matchedBy(rule, "destination");
  const before: Match<AddressRange> =
    original === "any" ? "any" : { negated: false, objects: original.map((name) => addresses.named(name)) };
  const changesPort = translation !== undefined && textOf(translation, "translated-port") !== undefined;
  const forward: Sides[] = to === undefined ? [] : [{ zones: matchedBy(rule, "from"), before, after: [addresses.named(to)], changesPort }];
  const fixed = worksBothWays(rule);
  if (fixed === undefined) return forward;
  const inside = (membersOf(rule, "source") ?? []).map((name) => addresses.named(name));
  const back = { negated: false, objects: [outsideOf(fixed, { addresses })] };
  // The reverse direction of the rule applies to flows from any zone.
  return [...forward, { zones: "any", before: back, after: inside, changesPort: false }];
}

/** Returns whether two sets of objects may have an address in common. An object with unknown addresses may contain any address. */
function mayMeet(some: Objects, others: Objects): boolean {
  return some.some((one) =>
    others.some((other) => {
      const [left, right] = [rangesOf(one), rangesOf(other)];
      if (left === undefined || right === undefined) return true;
      return left.some((range) => right.some((each) => range.first <= each.last && each.first <= range.last));
    }),
  );
}

function both(zones: FlowSet["zones"]["from"], others: "any" | readonly string[]): FlowSet["zones"]["from"] {
  if (zones === "any") return others;
  return others === "any" ? zones : zones.filter((name) => others.includes(name));
}
