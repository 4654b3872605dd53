import { flowRefused, type RequestWords } from "../../../access/flow-designer.js";
import { addressRange, isRangeWithin, rangesMeet } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import { flowsTo } from "../../../desired/assertions.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import type { Rulebase } from "../../../reachability/policy-role.js";
import { lastOf } from "../policy/fabric.js";
import { ANYWHERE } from "../policy/links.js";
import type { Places } from "../policy/subnets.js";
import { addressesOfOther } from "./impossible-flows.js";

/** One end of a request. */
export interface End {
  /** Text of the request. */
  readonly text: string;
  /** Full name of a network, or `anywhere`. */
  readonly network: string;
  /** Short name for users. */
  readonly label: string;
  /** Undefined: every address of the network. */
  readonly range: AddressRange | undefined;
}

/** Ports of tcp or udp, or icmp. */
export interface RequestedService {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly ports: readonly { readonly first: number; readonly last: number }[];
}

/** Networks, subnets and floating IPs that ends of requests can name. */
interface Known {
  readonly rulebase: Rulebase;
  readonly networks: readonly string[];
  readonly places: Places;
  /** Networks without reverse path forwarding: their hosts may send from any address. */
  readonly hasSpoofed: ReadonlySet<string>;
}

const EVERY: readonly AddressRange[] = ["0.0.0.0/0", "::/0"].flatMap((text) => addressRange(text) ?? []);
const PROTOCOLS: ReadonlyMap<number, RequestedService["protocol"]> = new Map([
  [1, "icmp"],
  [6, "tcp"],
  [17, "udp"],
]);

/** Finds both ends of a request. Throws `flow-not-understood`. */
export function endsOf(words: RequestWords, known: Known): { readonly from: End; readonly to: End; readonly notes: readonly string[] } {
  const ends = (["from", "to"] as const).map((flag) => endOf(known, flag, words[flag], words[`${flag}Zone`]));
  const [from, to] = ends as [End, End];
  if (from.network === ANYWHERE && to.network === ANYWHERE)
    throw flowRefused(`Neither "${from.text}" nor "${to.text}" is in a network of the controller.`, "Set --from-zone or --to-zone.");
  const isOf = (end: End, other: End) =>
    end.range !== undefined && addressesOfOther(known.places, other, end).some((range) => isRangeWithin(end.range, range));
  if (isOf(to, from))
    throw flowRefused(
      `"${to.text}" is in network ${from.label}, in which the controller delivers it.`,
      "Omit --to-zone, or name another address.",
    );
  if (isOf(from, to) && !known.hasSpoofed.has(from.network))
    throw flowRefused(
      `"${from.text}" is in network ${to.label}: reverse path forwarding drops it in ${from.label}.`,
      "Omit --from-zone, or name another address.",
    );
  return { from, to, notes: ends.flatMap((end) => outsideSubnets(known, end)) };
}

/** Returns the protocol and ports of a request. Throws `flow-not-understood` for services that policies cannot name. */
export function serviceOf(text: string): RequestedService {
  const ranges = literalService(text) ?? [];
  const protocol = PROTOCOLS.get(ranges[0]?.protocol ?? -1);
  const hasPorts = text.includes("/");
  if (protocol === undefined || hasPorts === (protocol === "icmp"))
    throw flowRefused(`not supported yet: a rule for service "${text}".`, "Write tcp/443, udp/53,5353 or icmp.");
  return { protocol, ports: protocol === "icmp" ? [] : ranges.map(({ first, last }) => ({ first, last })) };
}

function endOf(known: Known, flag: "from" | "to", text: string, zone: string | undefined): End {
  const range = addressRange(text);
  if (range === undefined) return networkEnd(known, flag, text, zone);
  const { places } = known;
  if (EVERY.some((all) => range.first <= all.first && range.last >= all.last))
    throw flowRefused(`"${text}" is every address.`, "Name a network or fewer addresses.");
  const floating = places.floatingIps.find(({ address }) => isRangeWithin(addressRange(address ?? ""), range));
  if (floating !== undefined)
    throw flowRefused(`"${text}" is floating IP ${lastOf(floating.name)}.`, "Name the fixed address: rules match it.");
  if (zone !== undefined) return { text, range, ...networkNamed(known, zone) };
  return { text, range, ...networkNamed(known, networkOf(known, flag, text, range)) };
}

/** Returns the only network that contains all addresses of a range, or `anywhere`. */
function networkOf({ places, rulebase }: Known, flag: "from" | "to", text: string, range: AddressRange): string {
  const label = (name: string) => labelIn(rulebase, name);
  const having = unique(places.subnets.filter((subnet) => isRangeWithin(range, subnet.range)).map(({ network }) => network));
  const parts = unique(places.subnets.filter((subnet) => rangesMeet(range, subnet.range)).map(({ network }) => network));
  const [only, ...more] = having;
  if (more.length > 0)
    throw flowRefused(`"${text}" is in several networks: ${having.map(label).join(", ")}.`, `Set --${flag}-zone to one of them.`);
  if (only === undefined && parts.length > 0)
    throw flowRefused(
      `"${text}" is not inside one subnet: it contains addresses of ${parts.map(label).join(", ")}.`,
      `Name a network or fewer addresses, or set --${flag}-zone.`,
    );
  if (only === undefined && places.open.length > 0)
    throw flowRefused(
      `Whether ${places.open.map(label).join(" or ")} has "${text}" is not known, because its subnets were not read.`,
      `Set --${flag}-zone to a network, or to ${ANYWHERE}.`,
    );
  return only ?? ANYWHERE;
}

function networkEnd(known: Known, flag: "from" | "to", text: string, zone: string | undefined): End {
  const floating = known.places.floatingIps.find(({ name }) => name === text || lastOf(name) === text);
  const isNetwork = known.networks.some((name) => isNamed(name, text));
  if (floating !== undefined && !isNetwork)
    throw flowRefused(`"${text}" is a floating IP.`, "Name the fixed address and its network: rules match them.");
  if (text === ANYWHERE)
    throw flowRefused(`"${ANYWHERE}" is every address outside the networks.`, "Name an address: it is outside if no network has it.");
  const named = networkNamed(known, text);
  if (zone !== undefined && networkNamed(known, zone).network !== named.network)
    throw flowRefused(`--${flag} is network ${named.label}, and --${flag}-zone is ${zone}.`, `Omit --${flag}-zone.`);
  return { text, range: undefined, ...named };
}

/** Finds a network by its name or the end of its name. */
function networkNamed({ rulebase, networks }: Known, word: string): Pick<End, "network" | "label"> {
  const label = labelIn(rulebase, word);
  if (label === ANYWHERE) return { network: ANYWHERE, label };
  const network = networks.find((name) => isNamed(name, label));
  if (network === undefined)
    throw flowRefused(`Network "${label}" was not read: only rules name it.`, "Name a network that the controller shows.");
  return { network, label };
}

function isNamed(name: string, word: string): boolean {
  return name === word || name.endsWith(`:${word}`);
}

/** Throws `flow-not-understood` if there is no such network, or several. */
function labelIn(rulebase: Rulebase, word: string): string {
  const { from } = rulebase.flows(0, { ...flowsTo([]), from: [word] }).zones;
  const [label] = from === "any" ? [] : from;
  if (label === undefined) throw new Error("a word means one network");
  return label;
}

/** Notes an address that is in no subnet of the network that the user selected. */
function outsideSubnets({ places }: Known, { text, network, label, range }: End): string[] {
  if (range === undefined || network === ANYWHERE || places.open.includes(network)) return [];
  const isThere = places.subnets.some((subnet) => subnet.network === network && isRangeWithin(range, subnet.range));
  return isThere ? [] : [`"${text}" is in no subnet of ${label}.`];
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
