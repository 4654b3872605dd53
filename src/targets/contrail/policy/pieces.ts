import type { AddressRange, AnyOf, Named, ServiceRange } from "../../../reachability/flows/policy.js";
import { type Acl, type AclEntry, ANY, type RuleName } from "./acl.js";
import { ANY_PORT, type Ports } from "./fabric.js";

/** Effect of one rule, or of two rules on both sides, on flows between two networks. */
export interface Piece {
  /** Equal for pieces with the same effect. */
  readonly key: string;
  readonly rules: readonly RuleName[];
  readonly verdict: "allow" | "deny";
  readonly source: Addresses;
  readonly destination: Addresses;
  readonly services: readonly Service[];
  readonly conditions: readonly AnyOf[];
}

/** Ordered pieces for flows from one network to another. The first match decides. Flows without a match are denied. */
export interface List {
  /** Equal for lists with the same effect. */
  readonly key: string;
  readonly pieces: readonly Piece[];
}

type Addresses = "any" | readonly Named<AddressRange>[];

/** Ports of one protocol or of all protocols. */
interface Service {
  readonly protocol: number | "any";
  readonly ports: Ports;
  readonly sourcePorts: Ports;
}

const ALL: Ports = { first: 0, last: 65_535 };
const PROTOCOLS = Array.from({ length: 256 }, (_, number) => number);
/** Protocols with ports. */
const WITH_PORTS: readonly unknown[] = [6, 17, ANY];
const EVERYTHING = {
  source: "any",
  destination: "any",
  services: [{ protocol: ANY, ports: ALL, sourcePorts: ALL }],
  conditions: [],
} as const;

/** Allows everything without a rule. Used for networks whose access list is unknown. */
export const PASSES: Piece = { ...EVERYTHING, key: "passes", rules: [], verdict: "allow" };

export function listOf(pieces: readonly Piece[]): List {
  return { key: pieces.map(({ key }) => key).join("\n"), pieces };
}

/** Returns the effect of one side's policies, up to a piece that allows all remaining traffic. */
export function sideOf(acl: Acl, from: string, to: string): List {
  const pieces = new Map<string, Piece>();
  let denial: AclEntry | undefined;
  for (const entry of acl.entries) {
    // The rules below a rule that denies everything show whether it has an effect.
    if (denial !== undefined && entry.rule.isDefault) break;
    for (const seen of isReversible(entry) ? [entry, reversed(entry)] : [entry]) {
      const piece = pieceOf(seen, from, to);
      if (piece === undefined) continue;
      const before = pieces.get(piece.key);
      // All entries of a rule have the same verdict, so their ports are merged.
      pieces.set(piece.key, before === undefined ? piece : { ...before, services: [...before.services, ...piece.services] });
      if (!isTotal(piece)) continue;
      if (piece.verdict === "allow" || entry.rule.isDefault) return listFrom(pieces);
      denial ??= entry;
    }
  }
  const beneath = denial && allowedWithout(acl, denial, from, to);
  if (beneath !== undefined) pieces.set(beneath.key, beneath);
  return listFrom(pieces);
}

/**
 * Returns the default piece that allows the flows of a denying rule without this rule. No flow reaches it, but it shows that the rule has an
 * effect. Undefined if another rule makes the controller deny these flows.
 */
function allowedWithout({ entries }: Acl, { rule }: AclEntry, from: string, to: string): Piece | undefined {
  const last = entries.at(-1);
  if (last === undefined || last.verdict !== "allow" || !last.rule.isDefault) return undefined;
  const isAt = ({ network }: AclEntry["source"], name: string) => network === ANY || network === name;
  const denies = ({ source, destination, isMirrored }: AclEntry) =>
    (isAt(source, from) && isAt(destination, to)) || (isMirrored && isAt(destination, from) && isAt(source, to));
  const isDenied = entries.some((entry) => !entry.rule.isDefault && entry.rule.name !== rule.name && denies(entry));
  return isDenied ? undefined : pieceOf(last, from, to);
}

function listFrom(pieces: ReadonlyMap<string, Piece>): List {
  return listOf([...pieces.values()].map((piece) => ({ ...piece, key: `${piece.key} ${piece.services.map(serviceText).join(" ")}` })));
}

/** Combines both sides: traffic passes only if both sides allow it. */
export function together(one: List, other: List): List {
  if (one.key === other.key) return listOf(one.pieces.filter((piece) => !isEnd(piece)));
  const lastDenial = one.pieces.findLastIndex((piece) => piece.verdict === "deny" && !isEnd(piece));
  return listOf(
    one.pieces.flatMap((piece, at) => {
      if (piece.verdict === "deny") return isEnd(piece) ? [] : [piece];
      // A flow that the other side denies by default must not be attributed to a later rule.
      const all = at < lastDenial ? other.pieces : other.pieces.filter((each) => !isEnd(each));
      return all.flatMap((each) => met(piece, each));
    }),
  );
}

/** A final denial that is not a written rule is omitted, because unmatched traffic is denied anyway. */
function isEnd(piece: Piece): boolean {
  return piece.verdict === "deny" && isTotal(piece) && piece.rules.every(({ isDefault }) => isDefault);
}

function isTotal({ source, destination, services, conditions }: Piece): boolean {
  const isAll = ({ protocol, ports, sourcePorts }: Service) => protocol === ANY && isAllPorts(ports) && isAllPorts(sourcePorts);
  return source === "any" && destination === "any" && services.some(isAll) && conditions.length === 0;
}

function isAllPorts({ first, last }: Ports): boolean {
  return first === ALL.first && last === ALL.last;
}

function isReversible({ isMirrored, source, destination, sourcePorts, destinationPorts }: AclEntry): boolean {
  const isSamePort = sourcePorts.first === destinationPorts.first && sourcePorts.last === destinationPorts.last;
  return isMirrored && !(isSamePort && placeText(source) === placeText(destination));
}

function placeText({ network, group, addresses }: AclEntry["source"]): string {
  return [network, group, ...addresses.map(({ name }) => name)].join(" ");
}

function reversed(entry: AclEntry): AclEntry {
  const { source, destination, sourcePorts, destinationPorts } = entry;
  return { ...entry, source: destination, destination: source, sourcePorts: destinationPorts, destinationPorts: sourcePorts };
}

function pieceOf({ source, destination, verdict, rule, conditions, ...entry }: AclEntry, from: string, to: string): Piece | undefined {
  const [one, other] = [addressesOf(source, from), addressesOf(destination, to)];
  if (verdict === undefined || one === undefined || other === undefined) return undefined;
  const groups = [...groupOf("source", source.group), ...groupOf("destination", destination.group)];
  const all = groups.length === 0 ? conditions : [...conditions, ...groups];
  const key = [rule.name, verdict, textOf(one), textOf(other), ...all.flatMap((anyOf) => anyOf.map(({ unknown }) => unknown.name))].join(
    "|",
  );
  return { key, rules: [rule], verdict, source: one, destination: other, services: [serviceOf(entry)], conditions: all };
}

function groupOf(side: string, group: string | undefined): AnyOf[] {
  if (group === undefined) return [];
  const name = `the ${side} is in security group ${group}`;
  return [[{ unknown: { kind: "group", definition: name, name, reason: "interfaces are not seen" }, holds: true }]];
}

/** Undefined: the entry does not concern this network. If addresses are given, the network is ignored. */
function addressesOf({ network, addresses }: AclEntry["source"], here: string): Addresses | undefined {
  if (addresses.length > 0) return addresses;
  return network === undefined || network === ANY || network === here ? "any" : undefined;
}

function textOf(addresses: Addresses): string {
  return addresses === "any" ? ANY : addresses.map(({ name }) => name).join(" ");
}

function serviceOf(entry: Pick<AclEntry, "protocol" | "sourcePorts" | "destinationPorts">): Service {
  const protocol = entry.protocol === ANY ? ANY : Number(entry.protocol);
  if (!WITH_PORTS.includes(protocol)) return { protocol, ports: ALL, sourcePorts: ALL };
  return { protocol, ports: rangeOf(entry.destinationPorts), sourcePorts: rangeOf(entry.sourcePorts) };
}

function rangeOf({ first, last }: Ports): Ports {
  return { first: Math.max(0, first), last: last === ANY_PORT ? ALL.last : last };
}

function serviceText({ protocol, ports, sourcePorts }: Service): string {
  return `${protocol}/${ports.first}-${ports.last}/${sourcePorts.first}-${sourcePorts.last}`;
}

/** Converts services to the ranges of the flow analysis. */
export function rangesOf(services: readonly Service[]): "any" | readonly ServiceRange[] {
  if (isTotal({ ...PASSES, services })) return "any";
  return services.flatMap(({ protocol, ports, sourcePorts }) =>
    (protocol === ANY ? PROTOCOLS : [protocol]).map((number) => {
      const hasPorts = WITH_PORTS.includes(number);
      return {
        protocol: number,
        ...(hasPorts ? ports : ALL),
        sourcePorts: hasPorts && !isAllPorts(sourcePorts) ? [sourcePorts] : undefined,
      };
    }),
  );
}

function met(one: Piece, other: Piece): Piece[] {
  const [source, destination] = [sharedAddresses(one.source, other.source), sharedAddresses(one.destination, other.destination)];
  const services = one.services.flatMap((a) => other.services.flatMap((b) => sharedService(a, b)));
  if (source.length === 0 || destination.length === 0 || services.length === 0) return [];
  // If the other side denies, only its rules are the reason. Otherwise both sides allow.
  const all = other.verdict === "deny" ? other.rules : [...one.rules, ...other.rules];
  const written = all.filter(({ isDefault }) => !isDefault);
  const rules = [...new Map((written.length > 0 ? written : all).map((rule) => [rule.name, rule])).values()];
  const conditions = [...one.conditions, ...other.conditions];
  return [{ key: `${one.key} & ${other.key}`, rules, verdict: other.verdict, source, destination, services, conditions }];
}

function sharedAddresses(one: Addresses, other: Addresses): Addresses {
  if (one === "any") return other;
  if (other === "any") return one;
  return one.flatMap((a) =>
    other.flatMap((b): Named<AddressRange>[] => {
      if (a.id === b.id) return [a];
      const values = a.values.flatMap((range) => b.values.flatMap((each) => overlap(range, each)));
      const unknowns = [...a.unknowns, ...b.unknowns];
      const name = `${a.name} and ${b.name}`;
      return values.length === 0 && unknowns.length === 0 ? [] : [{ id: name, name, values, members: [], unknowns }];
    }),
  );
}

function overlap<Bound extends bigint | number>(
  one: { readonly first: Bound; readonly last: Bound },
  other: { readonly first: Bound; readonly last: Bound },
): { readonly first: Bound; readonly last: Bound }[] {
  const first = one.first > other.first ? one.first : other.first;
  const last = one.last < other.last ? one.last : other.last;
  return first <= last ? [{ first, last }] : [];
}

function sharedService(one: Service, other: Service): Service[] {
  if (one.protocol !== ANY && other.protocol !== ANY && one.protocol !== other.protocol) return [];
  const protocol = one.protocol === ANY ? other.protocol : one.protocol;
  // Ports do not apply to protocols without ports.
  if (!WITH_PORTS.includes(protocol)) return [{ protocol, ports: ALL, sourcePorts: ALL }];
  const [[ports], [sourcePorts]] = [overlap(one.ports, other.ports), overlap(one.sourcePorts, other.sourcePorts)];
  return ports === undefined || sourcePorts === undefined ? without(protocol) : [{ protocol, ports, sourcePorts }];
}

/** If the ports do not overlap, only the protocols without ports remain. */
function without(protocol: Service["protocol"]): Service[] {
  if (protocol !== ANY) return [];
  return PROTOCOLS.filter((number) => !WITH_PORTS.includes(number)).map((number) => ({ protocol: number, ports: ALL, sourcePorts: ALL }));
}
