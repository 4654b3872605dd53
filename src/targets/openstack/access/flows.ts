import { flowRefused } from "../../../access/flow-designer.js";
import { literalService, protocolWithPorts } from "../../../core/service-range.js";
import type { AddressRange, FlowSet, Match, Named, Rule, ServiceRange } from "../../../reachability/flows/policy.js";
import { ANY_FLOW, DEFAULT_LEVEL } from "../../../reachability/flows/policy.js";
import { notUnderstood } from "../../../reachability/kit/literal-flows.js";
import { everything, type GroupRule } from "../policy/groups.js";
import { ANYWHERE, type Zone } from "../policy/members.js";
import { type AddressBook, rangesWithout } from "./addresses.js";
import type { End, Prefix } from "./ends.js";

export type Family = GroupRule["family"];
const FAMILIES: readonly Family[] = ["IPv4", "IPv6"];

/** Flows of a request, or a part of them that one rule of each end can allow. */
export interface Flows {
  readonly from: End;
  readonly to: End;
  readonly families: readonly Family[];
  readonly services: readonly ServiceRange[];
}

const ALL_PORTS = { first: 0, last: 65_535 };
/** Protocols of one family. */
const OF_FAMILY: ReadonlyMap<number, Family> = new Map([
  [1, "IPv4"],
  [58, "IPv6"],
]);

/**
 * Returns the flows between two ends. Throws `flow-not-understood`.
 *
 * @param isTransit A path leads through the project, so both ends may be outside.
 */
export function flowsBetween(from: End, to: End, service: string, isTransit: boolean): Flows {
  const services = servicesIn(service);
  const isSame = [from, to].every(({ holders, isOutside }) => holders.length === 1 && holders[0] === from.holders[0] && !isOutside);
  if (isSame) throw flowRefused(`Both ends are ${from.holders[0]}.`);
  const of = (protocol: number) => OF_FAMILY.get(protocol);
  const common = commonFamilies(from, to);
  const families = common.filter((family) => services.every(({ protocol }) => (of(protocol) ?? family) === family));
  if (common.length === 0) throw flowRefused(`${from.label} and ${to.label} have no addresses of the same IP version.`);
  if (families.length === 0)
    throw flowRefused(
      `${service} is a protocol of ${of(services[0]?.protocol ?? 0)}.`,
      `Write ${of(services[0]?.protocol ?? 0) === "IPv4" ? "icmp6" : "icmp"}.`,
    );
  if ([from, to].every(({ group, holders }) => group === undefined && holders.length === 0) && !isTransit)
    throw flowRefused(`No port of the project has an address of ${from.label} or ${to.label}.`, "Security groups decide no other flow.");
  return { from, to, families, services };
}

/** Returns the IP versions in which two different ports, or a port and another host, have addresses. */
function commonFamilies(from: End, to: End): readonly Family[] {
  const [ours, theirs] = [prefixesOf(from), prefixesOf(to)];
  return FAMILIES.filter((family) =>
    ours.some((one) => theirs.some((other) => one.family === family && other.family === family && (one.holder ?? one) !== other.holder)),
  );
}

/** A group whose members have no known address gets rules for IPv4. */
function prefixesOf({ group, prefixes }: End): readonly Pick<Prefix, "family" | "holder">[] {
  return group !== undefined && prefixes.length === 0 ? [{ family: "IPv4" }] : prefixes;
}

function servicesIn(text: string): readonly ServiceRange[] {
  const ranges = literalService(text);
  if (ranges === undefined) throw notUnderstood("service", text, "project", "Write tcp/443, udp/53, icmp.");
  const [{ protocol } = { protocol: 0 }] = ranges;
  if (!text.includes("/")) return ranges;
  if (protocolWithPorts(protocol) === undefined) throw flowRefused(`${text.split("/")[0]} has no ports.`, `Write ${text.split("/")[0]}.`);
  // The network service stores rules for ports 1 to 65535 without ports.
  if (ranges.some(({ first, last }) => first <= 1 && last === ALL_PORTS.last)) return [{ protocol, ...ALL_PORTS }];
  if (ranges.some(({ first }) => first === 0)) throw flowRefused("Security group rules have no port 0.", "Write ports from 1.");
  return ranges;
}

/** Number of ports and servers of a network that are distinguished. */
const MOST_HOLDERS = 16;

/** Returns the smallest parts of a request: one family, one range of ports, one prefix at each end, and one port at the end that decides. */
export function partsOf({ from, to, families, services }: Flows, decides: "from" | "to"): readonly Flows[] {
  const byPrefix = (end: End, family: Family): readonly End[] =>
    end.group === undefined
      ? end.prefixes.filter((prefix) => prefix.family === family).map((prefix) => ({ ...end, prefixes: [prefix] }))
      : [end];
  const byHolder = (end: End): readonly End[] =>
    end.group !== undefined || end.holders.length < 2 || end.holders.length > MOST_HOLDERS
      ? [end]
      : end.holders.map((holder) => ({ ...end, holders: [holder], isOutside: false }));
  return families.flatMap((family) =>
    services.flatMap((service) =>
      byPrefix(from, family).flatMap((one) =>
        byPrefix(to, family).flatMap((other) =>
          byHolder(decides === "from" ? one : other).map((end): Flows => {
            const ends = decides === "from" ? { from: end, to: other } : { from: one, to: end };
            return { ...ends, families: [family], services: [service] };
          }),
        ),
      ),
    ),
  );
}

/** Returns whether two sets of services have a common one. */
export function servicesMeet(some: readonly ServiceRange[], others: readonly ServiceRange[]): boolean {
  return some.some((one) => others.some((other) => one.protocol === other.protocol && one.first <= other.last && other.first <= one.last));
}

/** Returns flows in the zones of a model. */
export function flowSetOf({ from, to, families, services }: Flows, zones: readonly Zone[]): FlowSet {
  return {
    zones: { type: "universal", from: zonesAt(from, zones), to: zonesAt(to, zones) },
    source: addressesAt(from, families),
    destination: addressesAt(to, families),
    traffic: [{ applications: "any", services: { negated: false, objects: [{ ...named("services"), values: services }] } }],
    users: "any",
    conditions: [],
  };
}

function zonesAt({ group, holders, isOutside }: End, zones: readonly Zone[]): readonly string[] {
  const within = zones.filter(
    (zone) =>
      zone.holders.some((holder) => holders.includes(holder)) || (group !== undefined && zone.holders.length === 0 && zone.name === group),
  );
  return [...(isOutside ? [ANYWHERE] : []), ...within.map(({ name }) => name)];
}

function addressesAt({ group, prefixes }: End, families: readonly Family[]): Match<AddressRange> {
  if (group !== undefined) return { negated: false, objects: families.map(everything) };
  return { negated: false, objects: prefixes.filter(({ family }) => families.includes(family)).map(objectOf) };
}

function objectOf({ text, range }: Prefix): Named<AddressRange> {
  return { ...named(text), values: [range] };
}

const named = (id: string) => ({ id, name: id, values: [], members: [], unknowns: [] });

/**
 * Returns the flows that cannot exist, or that no security group decides: a port with port security only uses its own addresses, no other
 * sender uses them, both ends have the same IP version, and one of them is a port of the project.
 */
export function impossibleFlows(zones: readonly Zone[], { known, open }: AddressBook, requests: readonly Flows[]): Rule[] {
  const ends = requests.flatMap(({ from, to }) => [from, to]);
  const all = [...known.values()].flat();
  const asked = ends.filter(({ isOutside }) => isOutside).flatMap(({ prefixes }) => prefixes.map(({ range }) => range));
  const ofZone = zones.flatMap(({ name, holders }) => {
    const own = holders.flatMap((holder) => known.get(holder) ?? []);
    const isKnown = holders.length > 0 && holders.every((holder) => !open.has(holder));
    return bothWays(name, isKnown ? own : rangesWithout([...all, ...asked], own), isKnown);
  });
  const names = zones.filter(({ holders }) => holders.length === 1).map(({ name }) => name);
  const self: Rule = { ...EMPTY, key: keyOf("from a port to itself"), zones: { type: "intrazone", from: names, to: names } };
  const [four, six] = FAMILIES.map((family) => ({ negated: false, objects: [everything(family)] }));
  if (four === undefined || six === undefined) throw new Error("there are two families");
  const mixed = [
    { ...EMPTY, key: keyOf("from IPv4 to IPv6"), source: four, destination: six },
    { ...EMPTY, key: keyOf("from IPv6 to IPv4"), source: six, destination: four },
  ];
  const beyond: Rule = { ...EMPTY, key: keyOf("outside the project"), zones: { type: "intrazone", from: [ANYWHERE], to: [ANYWHERE] } };
  return [...ofZone, ...bothWays(ANYWHERE, all, false), beyond, self, ...mixed];
}

const EMPTY: Omit<Rule, "key"> = {
  ...ANY_FLOW,
  zones: { type: "universal", from: "any", to: "any" },
  origin: {},
  verdict: "deny",
  action: "deny",
};

const keyOf = (text: string): Rule["key"] => ({ level: DEFAULT_LEVEL, group: "", name: `flows that do not exist: ${text}` });

/** Returns rules for the flows that a zone does not send or receive. */
function bothWays(zone: string, values: readonly AddressRange[], negated: boolean): Rule[] {
  if (values.length === 0) return [];
  const addresses = { negated, objects: [{ ...named(`addresses of ${zone}`), values }] };
  return [
    { ...EMPTY, key: keyOf(`sent by ${zone}`), zones: { type: "universal", from: [zone], to: "any" }, source: addresses },
    { ...EMPTY, key: keyOf(`sent to ${zone}`), zones: { type: "universal", from: "any", to: [zone] }, destination: addresses },
  ];
}
