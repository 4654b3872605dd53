import { flowRefused, type RequestWords } from "../../../access/flow-designer.js";
import { addressRange, rangesMeet } from "../../../core/address-range.js";
import { canonicalNetwork } from "../../../core/tree/canonical-network.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { suggest } from "../../../desired/suggest.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import { notUnderstood } from "../../../reachability/kit/literal-flows.js";
import type { GroupRule } from "../policy/groups.js";
import { OPEN, type Project, projectIn } from "../policy/members.js";
import { type Station, type Topology, topologyIn } from "../policy/topology.js";
import { pairsIn } from "./addresses.js";

type Family = GroupRule["family"];

/** Addresses of an end, as a security group rule writes them. */
export interface Prefix {
  readonly family: Family;
  readonly text: string;
  readonly range: AddressRange;
  /** Port or server with this address. Undefined for addresses outside the project. */
  readonly holder?: string | undefined;
}

/** One end of a request. */
export interface End {
  /** For users: `server web-1`, `group web`, `192.0.2.0/24`. */
  readonly label: string;
  /** Name for new groups: `web-1`. */
  readonly name: string;
  /** The group that the request names. */
  readonly group?: string | undefined;
  /** Ports and servers of the project at this end. */
  readonly holders: readonly string[];
  /** Addresses of the end. Of a group: the known ones of its members. */
  readonly prefixes: readonly Prefix[];
  /** Whether it contains addresses that no port of the project has. */
  readonly isOutside: boolean;
  readonly notes: readonly string[];
}

/** Where ends are searched. */
interface Place {
  readonly tree: TreeNode;
  readonly project: Project;
  readonly topology: Topology;
  /** Port or server that a path names: `server web-1 (port vip)`. */
  readonly hint: string | undefined;
}

const IPV4_LAST = (1n << 32n) - 1n;
const IPV6_LAST = (1n << 128n) - 1n;

/** Finds both ends of a request. Throws `flow-not-understood`. */
export function endsOf(tree: TreeNode, words: RequestWords): { readonly from: End; readonly to: End } {
  const place = { tree, project: projectIn(tree), topology: topologyIn(tree) };
  const find = (word: string, zone: string | undefined) => endOf(word, { ...place, hint: hintOf(zone, tree) });
  return { from: find(words.from, words.fromZone), to: find(words.to, words.toZone) };
}

/** Returns the port or server of a zone. Undefined for a router or network, which says nothing about groups. */
function hintOf(zone: string | undefined, tree: TreeNode): string | undefined {
  if (zone === undefined) return undefined;
  const [, kind, rest = "", port] = /^(server|port|router|network) (.+?)(?: \((port .+)\))?$/.exec(zone) ?? [];
  const isThere =
    kind !== undefined && entriesIn(tree, `${kind}s`).some(({ name = "" }) => rest === name || rest.startsWith(`${name} on `));
  if (!isThere) throw notUnderstood("port, server, network or router", zone, "project", "Omit the zone: addresses decide.");
  return kind === "router" || kind === "network" ? undefined : (port ?? `${kind} ${rest}`);
}

function endOf(word: string, place: Place): End {
  const [, kind, name = word] = /^(server|port|group|floatingip)[: ](.+)$/.exec(word) ?? [];
  const range = kind === undefined ? addressRange(word) : undefined;
  if (range !== undefined) return addressEnd(word, range, place);
  const { tree, project } = place;
  const isListed = (list: string) => entriesIn(tree, list).some((entry) => entry.name === name);
  const kinds = {
    server: isListed("servers"),
    port: isListed("ports"),
    group: name !== OPEN && project.groups.has(name),
    floatingip: isListed("floatingips"),
  };
  const found = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((each) => kinds[each] && (kind === undefined || kind === each));
  const [only, ...others] = found;
  if (only === undefined) {
    const known = ["servers", "ports", "floatingips"].flatMap((list) => entriesIn(tree, list).flatMap((entry) => entry.name ?? []));
    const next = suggest(name, [...known, ...[...project.groups.keys()].filter((group) => group !== OPEN)]);
    throw notUnderstood(kind ?? "group, port, server or floating IP", name, "project", next === "" ? undefined : next);
  }
  if (others.length > 0)
    throw flowRefused(`"${name}" is a ${found.join(" and a ")}.`, `Write ${found.map((each) => `${each}:${name}`).join(" or ")}.`);
  if (only === "group") return groupEnd(name, place);
  if (only === "floatingip") return floatingEnd(name, place);
  return holderEnd(only, name, place);
}

function holderEnd(kind: "server" | "port", name: string, { topology, hint }: Place): End {
  const all = topology.stations.filter((each) => (kind === "port" ? each.holder === `port ${name}` : each.name === name));
  const stations = hint === undefined ? all : all.filter(({ holder }) => holder === hint);
  const holders = [...new Set(stations.map(({ holder }) => holder))];
  if (holders.length === 0)
    throw flowRefused(`The addresses of ${kind} "${name}" are not known.`, "Apply its documents first, or declare its address.");
  if (holders.length > 1)
    throw flowRefused(
      `The ports of server "${name}" have different groups.`,
      `Name one address: ${stations.map(({ address }) => address).join(", ")}.`,
    );
  return {
    label: holders[0] ?? "",
    name,
    holders,
    prefixes: stations.map(prefixAt),
    isOutside: false,
    notes: [],
  };
}

function groupEnd(name: string, { project, topology }: Place): End {
  const holders = [...project.holders].filter(([, groups]) => groups.has(name)).map(([holder]) => holder);
  const stations = topology.stations.filter(({ holder }) => holders.includes(holder));
  const prefixes = stations.map(prefixAt);
  return { label: `group ${name}`, name, group: name, holders, prefixes, isOutside: false, notes: [] };
}

function floatingEnd(name: string, place: Place): End {
  const floating = place.topology.floatingIps.find((each) => each.name === name);
  if (floating === undefined) throw flowRefused(`The address of floating IP "${name}" is not known.`, "Apply its documents first.");
  const { station, address } = floating;
  if (station === undefined) throw flowRefused(`Floating IP ${address} is attached to no port.`);
  const note = `Floating IP ${address} leads to ${station.address}. Security groups see this address.`;
  return { ...ofStation(station), notes: [note] };
}

function ofStation(station: Station): End {
  const { holder, name } = station;
  return { label: holder, name, holders: [holder], prefixes: [prefixAt(station)], isOutside: false, notes: [] };
}

function prefixAt({ holder, address }: Station): Prefix {
  return { ...prefixOf(address), holder };
}

function addressEnd(word: string, range: AddressRange, place: Place): End {
  const { tree, topology, hint } = place;
  const isSix = word.includes(":");
  if (range.first === 0n && range.last >= (isSix ? IPV6_LAST : IPV4_LAST))
    throw flowRefused(`"${word}" is every address: name fewer addresses.`);
  const prefix = prefixOf(word);
  const floating = topology.floatingIps.find(({ address }) => rangesMeet(range, addressRange(address) ?? range));
  if (floating !== undefined && range.first === range.last) return floatingEnd(floating.name, place);
  const paired = pairsIn(tree).filter(([, pairs]) => pairs.some((pair) => rangesMeet(pair, range) && pair.last - pair.first < MOST_PAIRED));
  if (paired.length > 0)
    throw flowRefused(`${word} is an allowed address pair of ${paired.map(([holder]) => holder).join(", ")}.`, "Name a port or server.");
  const within = topology.stations.filter(({ address }) => rangesMeet(range, addressRange(address) ?? NOTHING));
  const stations = hint === undefined ? within : within.filter(({ holder }) => holder === hint);
  const repeated = stations.find((one) => stations.some((other) => other.address === one.address && other.holder !== one.holder));
  if (repeated !== undefined) throw flowRefused(`Several ports of the project have ${repeated.address}.`, "Name a port or server.");
  const [station] = stations;
  if (station !== undefined && range.first === range.last) return ofStation(station);
  const holders = [...new Set(stations.map(({ holder }) => holder))];
  return { label: word, name: word, holders, prefixes: [prefix], isOutside: true, notes: [] };
}

const NOTHING: AddressRange = { first: -1n, last: -1n };
/** Pairs of at least this many addresses say nothing about one of them. */
const MOST_PAIRED = 1n << 31n;

/** Neutron stores an address with its prefix length. Throws for a range, which a rule cannot contain. */
function prefixOf(text: string): Prefix {
  const isSix = text.includes(":");
  const network = canonicalNetwork(text.includes("/") ? text : `${text}/${isSix ? 128 : 32}`);
  const range = network === undefined ? undefined : addressRange(network);
  if (network === undefined || range === undefined)
    throw flowRefused(`Security groups have no address ranges: "${text}".`, "Write networks.");
  return { family: isSix ? "IPv6" : "IPv4", text: network, range };
}

function entriesIn(tree: TreeNode, list: string): readonly TreeNode[] {
  return childByTag(tree, list)?.children ?? [];
}
