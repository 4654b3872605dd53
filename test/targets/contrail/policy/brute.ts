import { BlockList, isIP } from "node:net";
import { remembered } from "../../../remembered.js";

/** Objects as in the controller's API, with the fields that decide reachability. */
export interface RawFabric {
  readonly networks: readonly RawNetwork[];
  readonly policies: readonly RawPolicy[];
  /** It runs without logical routers. */
  readonly isWithoutRouters?: boolean;
}

export interface RawNetwork {
  readonly fq_name: readonly string[];
  readonly network_policy_refs?: readonly {
    readonly to: readonly string[];
    readonly attr: { readonly sequence: { readonly major: number; readonly minor: number } };
  }[];
  readonly route_target_list?: { readonly route_target: readonly string[] };
  readonly import_route_target_list?: { readonly route_target: readonly string[] };
  readonly export_route_target_list?: { readonly route_target: readonly string[] };
  readonly fabric_snat?: boolean;
  readonly is_provider_network?: boolean;
}

interface RawPolicy {
  readonly fq_name: readonly string[];
  readonly network_policy_entries: { readonly policy_rule: readonly RawRule[] };
}

export interface RawAddress {
  readonly virtual_network?: string;
  readonly network_policy?: string;
  readonly subnet?: { readonly ip_prefix: string; readonly ip_prefix_len: number };
}

export interface RawPorts {
  readonly start_port: number;
  readonly end_port: number;
}

export interface RawRule {
  readonly direction: "<>" | ">";
  readonly protocol: string;
  readonly src_addresses: readonly RawAddress[];
  readonly src_ports: readonly RawPorts[];
  readonly dst_addresses: readonly RawAddress[];
  readonly dst_ports: readonly RawPorts[];
  readonly action_list?: { readonly simple_action?: "pass" | "deny" };
}

/** The first packet of a session; `anywhere` is a network outside the project. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: number;
  readonly sourcePort: number;
  readonly port: number;
}

export interface Decision {
  readonly verdict: "allow" | "deny";
  /** `domain:project:policy/place` of the deciding rules; undefined if any answer is right. */
  readonly rules: readonly string[] | undefined;
}

/** A line of the list of a network: one combination of a rule's sides and ports. */
interface Line {
  readonly rule: string | undefined;
  readonly isBoth: boolean;
  readonly protocol: string;
  readonly ends: readonly [RawAddress, RawAddress];
  readonly ports: readonly [RawPorts, RawPorts];
  readonly action: "pass" | "deny" | undefined;
}

const NUMBERS: Readonly<Record<string, string>> = { icmp: "1", tcp: "6", udp: "17", sctp: "132" };
const EVERY: RawPorts = { start_port: -1, end_port: -1 };
const ALL: RawAddress = { virtual_network: "any" };

/** The fate of a packet, computed from the raw objects without the product. `doRoutesLead`: route targets and gateways connect. */
export function decide(fabric: RawFabric, packet: Packet, doRoutesLead: boolean): Decision {
  const { from, to } = packet;
  if (from !== to && !isJoined(fabric, from, to, doRoutesLead))
    // If a path is possible, a rule that blocks it is as good an answer as no path.
    return { verdict: "deny", rules: isJoined(fabric, from, to, true) ? undefined : [] };
  const said = [from, ...(to === from ? [] : [to])].flatMap((name) => {
    const network = fabric.networks.find((each) => each.fq_name.join(":") === name);
    return network === undefined ? [] : [judged(linesOf(fabric, network), packet)];
  });
  const stopping = said.find(({ action }) => action !== "pass");
  const rules = (lines: readonly { readonly rule: string | undefined }[]) => [...new Set(lines.flatMap(({ rule }) => rule ?? []))].sort();
  return stopping === undefined ? { verdict: "allow", rules: rules(said) } : { verdict: "deny", rules: rules([stopping]) };
}

function judged(lines: readonly Line[], packet: Packet): { readonly action: "pass" | "deny"; readonly rule: string | undefined } {
  for (const { action, rule, isBoth, ends, ports, protocol } of lines) {
    if (action === undefined) continue;
    const [source, destination] = ends;
    const [one, other] = ports;
    const isThere = fits(packet, protocol, source, destination, one, other);
    const isBack = isBoth && fits(packet, protocol, destination, source, other, one);
    if (isThere || isBack) return { action, rule };
  }
  return { action: "deny", rule: undefined };
}

function fits(packet: Packet, protocol: string, from: RawAddress, to: RawAddress, fromPorts: RawPorts, toPorts: RawPorts): boolean {
  if (protocol !== "any" && Number(protocol) !== packet.protocol) return false;
  const hasPorts = packet.protocol === 6 || packet.protocol === 17;
  const isIn = ({ start_port: start, end_port: end }: RawPorts, port: number) => start === -1 || (start <= port && port <= end);
  if (hasPorts && !(isIn(fromPorts, packet.sourcePort) && isIn(toPorts, packet.port))) return false;
  return isAt(from, packet.from, packet.source) && isAt(to, packet.to, packet.destination);
}

function isAt({ virtual_network: network, subnet }: RawAddress, where: string, address: string): boolean {
  if (subnet !== undefined) return covers(subnet, address);
  return network === "any" || network === where;
}

const familyOf = (text: string) => (isIP(text) === 4 ? "ipv4" : "ipv6");

const blockOf = remembered((prefix: string, length: number): BlockList => {
  const held = new BlockList();
  held.addSubnet(prefix, length, familyOf(prefix));
  return held;
});

const isWithin = remembered(
  (prefix: string, length: number, address: string) =>
    familyOf(prefix) === familyOf(address) && blockOf(prefix, length).check(address, familyOf(address)),
);

function covers({ ip_prefix: prefix, ip_prefix_len: length }: NonNullable<RawAddress["subnet"]>, address: string): boolean {
  return isWithin(prefix, length, address);
}

const known = new WeakMap<RawFabric, Map<RawNetwork, readonly Line[]>>();

/** The rules of its policies in order, and the controller's implicit rules after them. */
function linesOf(fabric: RawFabric, network: RawNetwork): readonly Line[] {
  const lists = known.get(fabric) ?? new Map<RawNetwork, readonly Line[]>();
  known.set(fabric, lists);
  const lines = lists.get(network) ?? writtenLines(fabric, network);
  lists.set(network, lines);
  return lines;
}

function writtenLines(fabric: RawFabric, network: RawNetwork): readonly Line[] {
  const name = network.fq_name.join(":");
  const lines: Line[] = [];
  // A rule below one that contains it, by the controller's definition, is never written.
  const write = (line: Line) => {
    if (!lines.some((above) => holds(above, line))) lines.push(line);
  };
  for (const line of rulesOf(fabric, network)) write(line);
  const isJudged = lines.length > 0 || (network.network_policy_refs ?? []).length > 0 || network.fabric_snat || network.is_provider_network;
  const own: RawAddress = { virtual_network: name };
  const implied = (action: "pass" | "deny", ends: Line["ends"], isBoth: boolean): Line => {
    return { rule: undefined, isBoth, protocol: "any", ends, ports: [EVERY, EVERY], action };
  };
  if (isJudged) {
    const written = [...lines];
    write(implied("pass", [own, own], false));
    if (network.fabric_snat === true) {
      write(implied("pass", [own, { virtual_network: "default-domain:default-project:ip-fabric" }], true));
      write(implied("deny", [own, ALL], true));
    }
    const bare = (end: RawAddress): RawAddress => (end.virtual_network === undefined ? end : { virtual_network: end.virtual_network });
    if (fabric.isWithoutRouters === true) write(implied("deny", [ALL, ALL], false));
    else {
      for (const { ends, isBoth } of written) write(implied("deny", [bare(ends[0]), bare(ends[1])], isBoth));
      if (network.is_provider_network === true) write(implied("deny", [own, ALL], true));
    }
  }
  write(implied("pass", [ALL, ALL], false));
  return lines;
}

function* rulesOf(fabric: RawFabric, network: RawNetwork): Generator<Line> {
  const name = network.fq_name.join(":");
  const having = (policy: string) =>
    fabric.networks.filter(({ network_policy_refs: all = [] }) => all.some(({ to }) => to.join(":") === policy));
  const refs = [...(network.network_policy_refs ?? [])].sort(
    (a, b) => a.attr.sequence.major - b.attr.sequence.major || a.attr.sequence.minor - b.attr.sequence.minor,
  );
  for (const { to } of refs) {
    const policy = fabric.policies.find((each) => each.fq_name.join(":") === to.join(":"));
    for (const [place, rule] of (policy?.network_policy_entries.policy_rule ?? []).entries()) {
      if (rule.action_list === undefined) continue;
      for (const source of rule.src_addresses)
        for (const destination of rule.dst_addresses)
          for (const ends of placesOf(source, destination, name, having))
            for (const from of rule.src_ports)
              for (const at of rule.dst_ports)
                yield {
                  rule: `${to.join(":")}/${place}`,
                  isBoth: rule.direction === "<>",
                  protocol: NUMBERS[rule.protocol] ?? rule.protocol,
                  ends,
                  ports: [from, at],
                  action: rule.action_list.simple_action,
                };
    }
  }
}

function placesOf(
  source: RawAddress,
  destination: RawAddress,
  here: string,
  having: (policy: string) => readonly RawNetwork[],
): (readonly [RawAddress, RawAddress])[] {
  const own = (end: RawAddress): RawAddress => (end.virtual_network === "local" ? { ...end, virtual_network: here } : end);
  let [one, other] = [own(source), own(destination)];
  const isOurs = (end: RawAddress) => end.virtual_network === "any" || end.virtual_network === here;
  if (!isOurs(one) && !isOurs(other)) {
    const among = (end: RawAddress) =>
      end.network_policy !== undefined && having(end.network_policy).some((each) => each.fq_name.join(":") === here);
    if (other.network_policy !== undefined) {
      if (!among(other)) return [];
      other = { virtual_network: here };
    } else if (one.network_policy !== undefined) {
      if (!among(one)) return [];
      one = { virtual_network: here };
    } else if (
      one.subnet === undefined ||
      other.subnet === undefined ||
      one.virtual_network !== undefined ||
      other.virtual_network !== undefined
    )
      return [];
  }
  const wide = (end: RawAddress): readonly RawAddress[] =>
    end.network_policy === undefined ? [end] : having(end.network_policy).map((each) => ({ virtual_network: each.fq_name.join(":") }));
  return wide(one).flatMap((from) => wide(other).map((to) => [from, to] as const));
}

function holds(above: Line, line: Line): boolean {
  const ports = (inner: RawPorts, outer: RawPorts) =>
    inner.start_port >= outer.start_port && (outer.end_port === -1 || inner.end_port <= outer.end_port);
  const end = (inner: RawAddress, outer: RawAddress): boolean => {
    if (inner.subnet === undefined && outer.subnet === undefined)
      return outer.virtual_network === inner.virtual_network || outer.virtual_network === "any";
    if (inner.subnet === undefined || outer.subnet === undefined) return false;
    return outer.subnet.ip_prefix_len <= inner.subnet.ip_prefix_len && covers(outer.subnet, inner.subnet.ip_prefix);
  };
  return (
    (above.protocol === "any" || above.protocol === line.protocol) &&
    ports(line.ports[0], above.ports[0]) &&
    ports(line.ports[1], above.ports[1]) &&
    end(line.ends[0], above.ends[0]) &&
    end(line.ends[1], above.ends[1])
  );
}

const joined = new WeakMap<RawFabric, Map<string, boolean>>();

/** Whether there is a way: each one names the other, or routes lead there. */
function isJoined(fabric: RawFabric, from: string, to: string, doRoutesLead: boolean): boolean {
  const pairs = joined.get(fabric) ?? new Map<string, boolean>();
  joined.set(fabric, pairs);
  const key = `${from} ${to} ${doRoutesLead}`;
  const is = pairs.get(key) ?? hasWay(fabric, from, to, doRoutesLead);
  pairs.set(key, is);
  return is;
}

function hasWay(fabric: RawFabric, from: string, to: string, doRoutesLead: boolean): boolean {
  const [one, other] = [from, to].map((name) => fabric.networks.find((each) => each.fq_name.join(":") === name));
  const targets = (network: RawNetwork | undefined, list: "import_route_target_list" | "export_route_target_list") => [
    ...(network?.route_target_list?.route_target ?? []),
    ...(network?.[list]?.route_target ?? []),
  ];
  if (one === undefined || other === undefined) {
    // An endpoint outside the known networks is reached by rules about others, or by the fabric.
    const isOut = one !== undefined;
    const told = isOut ? targets(one, "import_route_target_list") : targets(other, "export_route_target_list");
    return doRoutesLead && (told.length > 0 || (isOut && one?.fabric_snat === true));
  }
  if (namedBy(fabric, one).has(to) && namedBy(fabric, other).has(from)) return true;
  const sent = targets(other, "export_route_target_list");
  return doRoutesLead && targets(one, "import_route_target_list").some((target) => sent.includes(target));
}

function namedBy(fabric: RawFabric, network: RawNetwork): ReadonlySet<string> {
  const raw = directlyNamed(fabric, network);
  if (!raw.has("any")) return raw;
  const name = network.fq_name.join(":");
  const project = network.fq_name.slice(0, -1).join(":");
  for (const each of fabric.networks) {
    const other = each.fq_name.join(":");
    if (each.fq_name.slice(0, -1).join(":") === project || directlyNamed(fabric, each).has(name)) raw.add(other);
  }
  return raw;
}

function directlyNamed(fabric: RawFabric, network: RawNetwork): Set<string> {
  const name = network.fq_name.join(":");
  const names = new Set<string>();
  const kept: Line[] = [];
  for (const line of rulesOf(fabric, network)) {
    if (kept.some((above) => holds(above, line))) continue;
    kept.push(line);
    if (line.action !== "pass") continue;
    const [from, to] = line.ends.map((end) => end.virtual_network);
    if ((from === "any" || from === name) && to !== undefined && to !== name) names.add(to);
    if ((to === "any" || to === name) && from !== undefined && from !== name) names.add(from);
  }
  return names;
}
