import { at, Brute, type Element, type Facts, has, isWithin, listed, parse, said } from "./brute.js";

/** One flow as its sender sends it. */
export interface Sent {
  readonly source: string;
  readonly destination: string;
  readonly protocol: number;
  readonly port: number;
}

/** Its fate. */
export interface Arrival {
  readonly from: string;
  /** Undefined if it `ends` before. */
  readonly to?: string;
  /** The NAT rule that it matches; `x (the way back)`; undefined for none. */
  readonly nat?: string;
  readonly source?: string;
  readonly destination?: string;
  /** The port after NAT, if it changes. */
  readonly port?: number;
  /** The security rule that decides, and whether it lets it through. */
  readonly rule?: string;
  readonly allowed?: boolean;
  /** The last value is only for an interpreter that gives up. */
  readonly ends?: "no door" | "no route" | "dropped" | "itself" | "nobody knows where" | "no zone" | "nobody knows which";
}

/** Misreadings of NAT. For each one some flow must have another result. */
export const MISTAKES = [
  "the last NAT rule that matches counts",
  "a rule that translates nothing is passed over",
  "static translations work one way",
  "the way back is for its own zones alone",
  "the way back stands behind all rules",
  "NAT rules see the zone that it leaves by in the end",
  "rules see the zone of the destination that it was sent to",
  "rules see the destination behind NAT",
  "rules see the port behind NAT",
  "a range becomes its first address",
  "a pool is its first address",
  "the interface that a rule says is any",
  "the service that a rule says is any",
  "disabled rules count",
  "rules for IPv4 are for IPv6 too",
  "the first route that matches counts",
  "metrics are not compared",
] as const;
type Mistake = (typeof MISTAKES)[number];

interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

interface Hop {
  readonly interface?: string;
  readonly ends?: "no route" | "dropped";
}

/** One virtual system with one router, from the text of a configuration. */
export class BruteNat {
  readonly #rules: readonly Element[];
  readonly #brute: Brute;
  readonly #system: Element;
  readonly #router: Element;
  readonly #interfaces: readonly Element[];

  constructor(
    xml: string,
    facts: Facts,
    readonly mistake?: Mistake,
  ) {
    const config = parse(xml);
    this.#brute = new Brute(config, "vsys1", facts);
    const device = at(config, "devices", "entry");
    const [system, router] = [at(device, "vsys", "entry"), at(device, "network", "virtual-router", "entry")];
    if (system === undefined || router === undefined) throw new Error("a firewall has a virtual system and a router");
    this.#system = system;
    this.#router = router;
    this.#interfaces = at(device, "network", "interface", "ethernet")?.children ?? [];
    const rules = at(system, "rulebase", "nat", "rules")?.children ?? [];
    this.#rules = this.#is("the last NAT rule that matches counts") ? rules.toReversed() : rules;
  }

  /** All possible fates of a flow: several if a pool or equal routes leave a choice. */
  arrivals(sent: Sent): readonly Arrival[] {
    return this.#hops(sent.source).flatMap(({ interface: door }): readonly Arrival[] => {
      const from = this.#zoneOf(door);
      return from === undefined ? [{ from: "", ends: "no door" }] : this.arrivalsFrom(from, sent);
    });
  }

  /** The same for a flow that arrives from a zone, regardless of the routes to its source. */
  arrivalsFrom(from: string, sent: Sent): readonly Arrival[] {
    return this.#hops(sent.destination).flatMap((hop) => this.#past(sent, from, hop));
  }

  /** All addresses of a translated source, in one order. */
  sourcesOf(text: string): readonly string[] {
    const [, by] = /^the address of (.*)$/.exec(text) ?? [];
    const own = this.#interfaces.find(({ name }) => name === by);
    const names =
      own === undefined
        ? text.split(", ")
        : addressesOf(own)
            .filter((each) => !each.includes(":"))
            .map((each) => each.split("/")[0] ?? "");
    return [...new Set(names.flatMap((name) => spread(this.#spans(name) ?? [])))].sort();
  }

  /** Whether a NAT rule is for a flow, way back not counted, wherever it comes in and leaves. */
  isFor(name: string, sent: Sent): boolean {
    const rule = this.#rules.find((each) => each.name === name);
    if (rule === undefined) throw new Error(`there is no NAT rule "${name}"`);
    const doors = this.#hops(sent.source).map((hop) => this.#zoneOf(hop.interface));
    return doors.some((from) => this.#hops(sent.destination).some((hop) => this.#matches(rule, sent, from ?? "", hop.interface ?? "")));
  }

  #is(mistake: Mistake): boolean {
    return this.mistake === mistake;
  }

  #past(sent: Sent, from: string, hop: Hop): Arrival[] {
    if (hop.ends !== undefined) return [{ from, ends: hop.ends }];
    if (this.#zoneOf(hop.interface) === undefined) return [{ from, ends: "no zone" }];
    for (const rule of this.#rules) {
      if (said(rule, "disabled") === "yes" && !this.#is("disabled rules count")) continue;
      if (this.#seesFamily(sent) && this.#matches(rule, sent, from, hop.interface ?? "")) {
        const source = this.#sourceOf(rule, sent);
        const { hosts, port } = this.#destinationOf(rule, sent);
        const isPlain = source === undefined && port === undefined && at(rule, "destination-translation") === undefined;
        if (
          !isPlain ||
          !this.#is("a rule that translates nothing is passed over") ||
          at(rule, "dynamic-destination-translation") !== undefined
        )
          return this.#onward(sent, { from, nat: rule.name, ...(source === undefined ? {} : { source }) }, hop, hosts, port);
      }
      const back = this.#is("the way back stands behind all rules") ? undefined : this.#wayBack(rule, sent, from, hop);
      if (back !== undefined) return back;
    }
    if (this.#is("the way back stands behind all rules"))
      for (const rule of this.#rules) {
        const back = said(rule, "disabled") === "yes" ? undefined : this.#wayBack(rule, sent, from, hop);
        if (back !== undefined) return back;
      }
    return this.#onward(sent, { from }, hop, [sent.destination]);
  }

  #wayBack(rule: Element, sent: Sent, from: string, hop: Hop): Arrival[] | undefined {
    const back = this.#seesFamily(sent) ? this.#backOf(rule, sent, from) : undefined;
    return back && this.#onward(sent, { from, nat: `${rule.name} (the way back)` }, hop, back);
  }

  #onward(sent: Sent, from: Pick<Arrival, "from" | "nat" | "source">, hop: Hop, hosts: readonly string[], port?: number): Arrival[] {
    const so = port === undefined ? from : { ...from, port };
    if (hosts.length === 0) return [{ ...so, ends: "nobody knows where" }];
    return hosts.flatMap((destination) => {
      const hops = destination === sent.destination ? [hop] : this.#hops(destination);
      return hops.map((leaves): Arrival => {
        if (leaves.ends !== undefined) return { ...so, ends: leaves.ends };
        const to = this.#zoneOf(leaves.interface);
        if (to === undefined) return { ...so, ends: "no zone" };
        const now = { ...so, to, destination };
        if (this.#interfaces.some((each) => addressesOf(each).some((own) => own.split("/")[0] === destination)))
          return { ...now, ends: "itself" };
        const { rule, allowed } = this.#brute.decide({
          from: so.from,
          to: this.#is("rules see the zone of the destination that it was sent to") ? (this.#zoneOf(hop.interface) ?? "") : to,
          source: sent.source,
          destination: this.#is("rules see the destination behind NAT") ? destination : sent.destination,
          protocol: sent.protocol,
          port: this.#is("rules see the port behind NAT") ? (port ?? sent.port) : sent.port,
          sourcePort: 40_000,
          application: "any",
          user: "unknown",
        });
        return { ...now, rule, allowed };
      });
    });
  }

  #seesFamily({ source, destination }: Sent): boolean {
    return this.#is("rules for IPv4 are for IPv6 too") || !`${source}${destination}`.includes(":");
  }

  #matches(rule: Element, sent: Sent, from: string, leaves: string): boolean {
    const { source, destination, protocol, port } = sent;
    const flow = { ...sent, from, to: "", sourcePort: 40_000, application: "any", user: "unknown", protocol, port };
    const inEnd = this.#is("NAT rules see the zone that it leaves by in the end");
    const [end = destination] = inEnd ? this.#destinationOf(rule, sent).hosts : [];
    const to = inEnd ? this.#zoneOf(this.#hops(end)[0]?.interface) : this.#zoneOf(leaves);
    const isOne = (tag: string, test: (name: string) => boolean) => listed(rule, tag).length === 0 || listed(rule, tag).some(test);
    const wanted = said(rule, "to-interface") ?? "any";
    return (
      has(rule, "from", from) &&
      has(rule, "to", to ?? "") &&
      (wanted === "any" || wanted === leaves || this.#is("the interface that a rule says is any")) &&
      isOne("source", (name) => this.#brute.holds(name, source)) &&
      isOne("destination", (name) => this.#brute.holds(name, destination)) &&
      (this.#is("the service that a rule says is any") || this.#brute.serves(said(rule, "service") ?? "any", flow))
    );
  }

  #backOf(rule: Element, { destination }: Sent, from: string): readonly string[] | undefined {
    const fixed = at(rule, "source-translation", "static-ip");
    if (fixed === undefined || said(fixed, "bi-directional") !== "yes" || this.#is("static translations work one way")) return undefined;
    if (this.#is("the way back is for its own zones alone") && !has(rule, "to", from)) return undefined;
    const outside = said(fixed, "translated-address") ?? "";
    if (!this.#brute.holds(outside, destination)) return undefined;
    const [inside, ...more] = listed(rule, "source");
    const moved = inside === undefined || more.length > 0 ? undefined : this.#moved(destination, outside, inside);
    return moved === undefined ? [] : [moved];
  }

  #sourceOf(rule: Element, { source }: Sent): string | undefined {
    const fixed = at(rule, "source-translation", "static-ip");
    const outside = fixed === undefined ? undefined : said(fixed, "translated-address");
    if (outside !== undefined) {
      const [inside, ...more] = listed(rule, "source");
      return (inside === undefined || more.length > 0 ? undefined : this.#moved(source, inside, outside)) ?? outside;
    }
    const [kind] = at(rule, "source-translation")?.children ?? [];
    if (kind === undefined) return undefined;
    const own = at(kind, "interface-address");
    if (own === undefined) return listed(kind, "translated-address").join(", ");
    return said(own, "ip")?.split("/")[0] ?? `the address of ${said(own, "interface")}`;
  }

  #destinationOf(rule: Element, { destination }: Sent): { readonly hosts: readonly string[]; readonly port?: number } {
    const fixed = at(rule, "destination-translation");
    const kind = fixed ?? at(rule, "dynamic-destination-translation");
    if (kind === undefined) return { hosts: [destination] };
    const text = said(kind, "translated-port");
    const port = text === undefined ? {} : { port: Number(text) };
    const name = said(kind, "translated-address");
    if (name === undefined) return { hosts: [destination], ...port };
    const original = listed(rule, "destination").find((each) => this.#spans(each)?.some((span) => isIn(span, destination)));
    const moved = fixed === undefined || original === undefined ? undefined : this.#moved(destination, original, name);
    if (moved !== undefined) return { hosts: [moved], ...port };
    const hosts = spread(this.#spans(name) ?? []);
    return { hosts: this.#is("a pool is its first address") ? hosts.slice(0, 1) : hosts.length > 16 ? [] : hosts, ...port };
  }

  /** The counterpart of an address in another range of the same size; a single address is the counterpart of all. */
  #moved(address: string, from: string, to: string): string | undefined {
    const [target, ...more] = this.#spans(to) ?? [];
    if (target === undefined || more.length > 0) return undefined;
    if (target.first === target.last || this.#is("a range becomes its first address")) return addressAt(target.first);
    const span = this.#spans(from)?.find((each) => isIn(each, address));
    if (span === undefined || span.last - span.first !== target.last - target.first) return undefined;
    return addressAt(target.first + numberOf(address) - span.first);
  }

  /** The complete content of a name; undefined if it is not defined. */
  #spans(name: string): readonly Span[] | undefined {
    const group = at(this.#system, "address-group")?.children.find((each) => each.name === name);
    if (group !== undefined) {
      const parts = listed(group, "static").map((member) => this.#spans(member));
      return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
    }
    const object = at(this.#system, "address")?.children.find((each) => each.name === name);
    const text = object === undefined ? name : (said(object, "ip-netmask") ?? said(object, "ip-range") ?? "");
    if (!/^[\d./-]+$/.test(text)) return undefined;
    const [low = "", high] = text.split("-");
    const [base = "", length = "32"] = low.split("/");
    const size = 2n ** BigInt(32 - Number(length));
    const first = (numberOf(base) / size) * size;
    return [{ first, last: high === undefined ? first + size - 1n : numberOf(high) }];
  }

  #zoneOf(name: string | undefined): string | undefined {
    return at(this.#system, "zone")?.children.find((zone) => at(zone, "network", "layer3")?.children.some(({ text }) => text === name))
      ?.name;
  }

  #hops(address: string): readonly Hop[] {
    const family = address.includes(":") ? "ipv6" : "ip";
    const networks = this.#interfaces.flatMap((each) =>
      listed(this.#router, "interface").includes(each.name)
        ? addressesOf(each).map((net) => ({ net, rank: [0, 0], hop: each.name, entry: undefined }))
        : [],
    );
    const fixed = (at(this.#router, "routing-table", family, "static-route")?.children ?? []).map((entry) => ({
      net: said(entry, "destination") ?? "",
      rank: [Number(said(entry, "admin-dist") ?? 10), Number(said(entry, "metric") ?? 10)],
      hop: said(entry, "interface"),
      entry,
    }));
    const matching = [...networks, ...fixed].filter(({ net }) => net.includes(":") === (family === "ipv6") && isWithin(net, address));
    if (this.#is("the first route that matches counts")) matching.splice(1);
    const key = ({ net, rank: [distance = 0, metric = 0] }: (typeof matching)[number]) =>
      Number(net.split("/")[1]) * -1e6 + distance * 1000 + (this.#is("metrics are not compared") ? 0 : metric);
    const least = Math.min(...matching.map(key));
    const best = matching.filter((each) => key(each) === least);
    if (best.length === 0) return [{ ends: "no route" }];
    return best.flatMap(({ hop, entry }): readonly Hop[] => {
      if (hop !== undefined) return [{ interface: hop }];
      const via = at(entry, "nexthop", "ip-address")?.text;
      return via === undefined ? [{ ends: "dropped" }] : this.#hops(via);
    });
  }
}

function addressesOf(port: Element): readonly string[] {
  return [...(at(port, "layer3", "ip")?.children ?? []), ...(at(port, "layer3", "ipv6", "address")?.children ?? [])].map(
    ({ name }) => name,
  );
}

function spread(spans: readonly Span[]): string[] {
  return spans.flatMap(({ first, last }) => Array.from({ length: Number(last - first) + 1 }, (_, n) => addressAt(first + BigInt(n))));
}

function isIn({ first, last }: Span, address: string): boolean {
  return !address.includes(":") && first <= numberOf(address) && numberOf(address) <= last;
}

function numberOf(address: string): bigint {
  return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function addressAt(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join(".");
}
