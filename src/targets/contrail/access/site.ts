import type { DesignPlace } from "../../../access/designer.js";
import { isRangeWithin, rangesMeet } from "../../../core/address-range.js";
import { find } from "../../../core/tree/lookup.js";
import { ROOT_PATH } from "../collections.js";
import { ANY_PORT, type Fabric, type Network, type PolicyRule, type Ports, type Side } from "../policy/fabric.js";
import { ANYWHERE } from "../policy/links.js";
import type { End, RequestedService } from "./ends.js";
import { rulesAt } from "./rule-rows.js";

/** A request at the networks and policies of a controller. */
export interface Site {
  readonly place: DesignPlace;
  readonly fabric: Fabric;
  readonly from: End;
  readonly to: End;
  readonly service: RequestedService;
  /** The networks of both ends whose policies decide: one or two. */
  readonly holders: readonly Network[];
}

const NUMBERS: Readonly<Record<RequestedService["protocol"], string>> = { icmp: "1", tcp: "6", udp: "17" };

/** Returns the networks whose policies decide flows between two ends. */
export function holdersOf({ networks }: Fabric, ...ends: readonly End[]): readonly Network[] {
  const names = new Set(ends.map(({ network }) => network).filter((name) => name !== ANYWHERE));
  return [...names].flatMap((name) => networks.get(name) ?? []);
}

/** Returns the policies of some networks. Those that all of them have come first. */
export function policiesAt(networks: readonly Network[]): readonly string[] {
  const each = networks.map(({ attached }) => attached.filter(({ isTimed }) => !isTimed).map(({ policy }) => policy));
  const isShared = (policy: string) => each.every((policies) => policies.includes(policy));
  const all = [...new Set(each.flat())];
  return [...all.filter(isShared), ...all.filter((policy) => !isShared(policy))];
}

/** Returns whether documents declare the rules of a policy, or a policy without rules. */
export function hasDeclaredRules({ tree, declared }: DesignPlace, policy: string): boolean {
  const rules = rulesAt(policy);
  if (find(declared, rules) !== undefined) return true;
  return find(declared, ROOT_PATH.child("network-policys").entry(policy)) !== undefined && find(tree, rules) === undefined;
}

/** Path of a network. */
export const networkAt = (name: string) => ROOT_PATH.child("virtual-networks").entry(name);

/** Returns the networks of the request that no document declares. */
export function undeclared({ place, holders }: Site): readonly string[] {
  return holders.map(({ name }) => name).filter((name) => find(place.declared, networkAt(name)) === undefined);
}

/** How the fields of a rule relate to a request. */
export interface Fit {
  readonly from: Relation;
  readonly to: Relation;
  readonly ports: Relation;
  readonly sourcePorts: Relation;
  readonly protocol: Relation;
}

type Relation = "contains" | "meets" | "apart";

/** Compares a rule, or a mirrored rule in its other direction, with the request. Sides whose networks are not known count as containing. */
export function fitOf({ from, to, service }: Site, rule: PolicyRule, isReversed = false): Fit {
  const [sources, destinations] = isReversed ? [rule.destinations, rule.sources] : [rule.sources, rule.destinations];
  const [sourcePorts, ports] = isReversed ? [rule.destinationPorts, rule.sourcePorts] : [rule.sourcePorts, rule.destinationPorts];
  const isOf = rule.protocol === "any" || rule.protocol === NUMBERS[service.protocol];
  const isPortless = service.protocol === "icmp";
  return {
    from: best(sources.map((side) => sideFit(side, from))),
    to: best(destinations.map((side) => sideFit(side, to))),
    ports: isPortless ? "contains" : portsFit(ports, service),
    sourcePorts: isPortless ? "contains" : sourcePorts.some(isEvery) ? "contains" : "meets",
    protocol: isOf ? "contains" : rule.protocol === undefined ? "meets" : "apart",
  };
}

/** Returns the fields in which a rule does not contain the request. */
export function missingFields(fit: Fit): readonly (keyof Fit)[] {
  return (Object.keys(fit) as (keyof Fit)[]).filter((field) => fit[field] !== "contains");
}

/** Returns whether a rule may match flows of the request. */
export function meetsRequest(site: Site, rule: PolicyRule): boolean {
  const fits = [fitOf(site, rule), ...(rule.isMirrored ? [fitOf(site, rule, true)] : [])];
  return rule.hasActions && fits.some((fit) => Object.values(fit).every((relation) => relation !== "apart"));
}

/** Returns the index of the first rule of a policy with an action that may match flows of the request. */
export function firstMeeting(site: Site, policy: string, action: "allow" | "deny"): number | undefined {
  const index = (site.fabric.policies.get(policy) ?? []).findIndex((rule) => rule.action === action && meetsRequest(site, rule));
  return index === -1 ? undefined : index;
}

/** Returns whether all addresses of a side of a rule belong to an end of the request. */
export function isSideWithin({ network, policy, group, addresses }: Side, end: End): boolean {
  if (policy !== undefined || group !== undefined) return false;
  if (addresses.length === 0) return end.range === undefined && network === end.network;
  const { range } = end;
  if (range === undefined) return network === end.network;
  return addresses.every(({ values }) => values.length > 0 && values.every((value) => isRangeWithin(value, range)));
}

/** Returns whether a range of ports belongs to the request. */
export function arePortsWithin({ first, last }: Ports, { ports }: RequestedService): boolean {
  return ports.some((range) => range.first <= first && last !== ANY_PORT && last <= range.last);
}

function sideFit({ network, policy, group, addresses }: Side, { network: own, range }: End): Relation {
  if (addresses.length > 0) {
    const values = addresses.flatMap((each) => each.values);
    if (range === undefined) return "meets";
    if (values.some((value) => isRangeWithin(range, value))) return "contains";
    return values.some((value) => rangesMeet(value, range)) ? "meets" : "apart";
  }
  if (policy !== undefined || group !== undefined || network === "local") return "contains";
  return network === undefined || network === "any" || network === own ? "contains" : "apart";
}

function portsFit(ports: readonly Ports[], { ports: wanted }: RequestedService): Relation {
  const contains = (range: Ports, around: Ports) => isEvery(around) || (around.first <= range.first && range.last <= around.last);
  if (wanted.every((range) => ports.some((around) => contains(range, around)))) return "contains";
  const meets = (one: Ports, other: Ports) => isEvery(one) || (one.first <= other.last && other.first <= one.last);
  return ports.some((range) => wanted.some((each) => meets(range, each))) ? "meets" : "apart";
}

const isEvery = ({ first, last }: Ports) => first <= 0 && (last === ANY_PORT || last === 65_535);

const RELATIONS: readonly Relation[] = ["contains", "meets", "apart"];

function best(relations: readonly Relation[]): Relation {
  return RELATIONS.find((relation) => relations.includes(relation)) ?? "apart";
}
