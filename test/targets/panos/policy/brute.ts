import { BlockList } from "node:net";
import { SaxesParser } from "saxes";
import { remembered } from "../../../remembered.js";

/** One session and its endpoints. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: number;
  readonly port: number;
  readonly sourcePort: number;
  readonly application: string;
  /** Of ICMP and ICMPv6: `8`, or with a code `3/1`. */
  readonly icmpType?: string;
  /** `unknown`, `pre-logon`, or a name. */
  readonly user: string;
}

/** Facts outside the configuration. */
export interface Facts {
  /** Addresses of FQDNs, of URLs of lists, of countries, and those registered for a filter of a dynamic group. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** `tcp/80`, `icmp/8` or `47` of the device's own applications. */
  readonly atHome: Readonly<Record<string, readonly string[]>>;
  /** Names of schedules, categories and profiles that hold. */
  readonly holding: ReadonlySet<string>;
  /** Users of groups, by lower-case name. */
  readonly members?: Readonly<Record<string, readonly string[]>>;
  /** Applications that filters select, by name; none for an unknown one. */
  readonly selected?: Readonly<Record<string, readonly string[]>>;
}

export interface Element {
  readonly tag: string;
  readonly name: string;
  text: string;
  readonly children: Element[];
}

/** Reads a configuration once for many flows. */
export class Brute {
  /** Explicit rules from the top, and default ones, the nearest place first. */
  readonly #rules: readonly Element[];
  readonly #defaults: readonly Element[];
  readonly #places: readonly (Element | undefined)[];
  readonly #facts: Facts;

  /** `scope`: a virtual system, or a device group of a manager. */
  constructor(xml: string | Element | undefined, scope: string, facts: Facts) {
    const config = typeof xml === "string" ? parse(xml) : xml;
    this.#facts = facts;
    const [, group] = scope.split("device-group/");
    if (group === undefined) {
      const system = at(config, "devices", "entry", "vsys")?.children.find(({ name }) => name === scope);
      this.#places = [system, at(config, "shared")];
      this.#rules = rulesIn(system, "rulebase", "security");
      this.#defaults = rulesIn(system, "rulebase", "default-security-rules");
      return;
    }
    const upward = [...groupsFrom(config, group), at(config, "shared")];
    this.#places = upward;
    this.#rules = [
      ...upward.toReversed().flatMap((place) => rulesIn(place, "pre-rulebase", "security")),
      ...upward.flatMap((place) => rulesIn(place, "post-rulebase", "security")),
    ];
    this.#defaults = upward.flatMap((place) => rulesIn(place, "post-rulebase", "default-security-rules"));
  }

  decide(flow: Flow): { readonly rule: string; readonly allowed: boolean } {
    for (const rule of this.#rules)
      if (said(rule, "disabled") !== "yes" && this.#matches(rule, flow))
        return { rule: rule.name, allowed: said(rule, "action") === "allow" };
    const name = flow.from === flow.to ? "intrazone-default" : "interzone-default";
    const own = this.#defaults.find((rule) => rule.name === name);
    return { rule: name, allowed: ((own && said(own, "action")) ?? (flow.from === flow.to ? "allow" : "deny")) === "allow" };
  }

  #matches(rule: Element, flow: Flow): boolean {
    const type = said(rule, "rule-type") ?? "universal";
    if (!has(rule, "from", flow.from)) return false;
    if (type === "intrazone" ? flow.from !== flow.to : !has(rule, "to", flow.to)) return false;
    if (type === "interzone" && flow.from === flow.to) return false;
    for (const side of ["source", "destination"] as const) {
      const names = listed(rule, side);
      const inside = names.length === 0 || names.some((name) => this.holds(name, flow[side]));
      if (inside === (said(rule, `negate-${side}`) === "yes")) return false;
    }
    const users = listed(rule, "source-user");
    const isSomebody = flow.user !== "unknown" && flow.user !== "pre-logon";
    const isUser = (name: string) => name === "any" || this.isUser(name, flow.user) || (name === "known-user" && isSomebody);
    if (users.length > 0 && !users.some(isUser)) return false;
    for (const tag of ["category", "hip-profiles", "source-hip", "destination-hip"]) {
      const names = listed(rule, tag);
      if (names.length > 0 && !names.some((name) => name === "any" || this.#facts.holding.has(name))) return false;
    }
    const schedule = said(rule, "schedule");
    if (schedule !== undefined && !this.#facts.holding.has(schedule)) return false;
    const applications = listed(rule, "application");
    const services = listed(rule, "service");
    const isAnyService = services.length === 0 || services.includes("any");
    if (applications.length > 0 && !applications.some((name) => this.#isApplication(name, flow, isAnyService))) return false;
    return services.length === 0 || services.some((name) => this.serves(name, flow));
  }

  /** Whether a name is a user, or a group that has this user. */
  isUser(name: string, user: string): boolean {
    return name.toLowerCase() === user || this.#facts.members?.[name.toLowerCase()]?.includes(user) === true;
  }

  #object(list: string, name: string): Element | undefined {
    return this.#places.map((place) => at(place, list)?.children.find((each) => each.name === name)).find((each) => each !== undefined);
  }

  /** Whether a name or a literal has an address. */
  holds(name: string, address: string): boolean {
    if (name === "any") return true;
    const region = this.#object("region", name);
    if (region !== undefined) return listed(region, "address").some((text) => isWithin(text, address));
    // One scope after another: a name in the nearer scope hides the same name in the farther one.
    for (const place of this.#places) {
      const object = at(place, "address")?.children.find((each) => each.name === name);
      if (object !== undefined) return this.#objectHolds(object, address);
      const group = at(place, "address-group")?.children.find((each) => each.name === name);
      if (group !== undefined) return this.#groupHolds(group, address);
      const list = at(place, "external-list")?.children.find((each) => each.name === name);
      if (list !== undefined)
        return this.#fact(at(list, "type")?.children[0]?.children.find(({ tag }) => tag === "url")?.text ?? "", address);
    }
    return this.#fact(name, address) || isWithin(name, address);
  }

  #fact(name: string, address: string): boolean {
    return this.#facts.addresses[name]?.some((text) => isWithin(text, address)) === true;
  }

  #objectHolds(object: Element, address: string): boolean {
    const fqdn = said(object, "fqdn");
    if (fqdn !== undefined) return this.#fact(fqdn, address);
    const wildcard = said(object, "ip-wildcard");
    return wildcard === undefined
      ? isWithin(said(object, "ip-netmask") ?? said(object, "ip-range") ?? "", address)
      : fitsWildcard(wildcard, address);
  }

  #groupHolds(group: Element, address: string): boolean {
    const tag = at(group, "dynamic", "filter")?.text;
    if (tag === undefined) return listed(group, "static").some((name) => this.holds(name, address));
    if (this.#fact(tag, address)) return true;
    const names = new Set(this.#places.flatMap((place) => at(place, "address")?.children ?? []).map(({ name }) => name));
    return [...names].some((name) => {
      const object = this.#object("address", name);
      return object !== undefined && listed(object, "tag").includes(tag.replaceAll("'", "")) && this.#objectHolds(object, address);
    });
  }

  /** An application of ICMP that a rule names with any service has no ports. */
  #isApplication(name: string, flow: Flow, isAnyService: boolean): boolean {
    const { application, protocol } = flow;
    if (name === "any") return true;
    const isOfIcmp = isAnyService && /^(icmp|ipv6-icmp|ping6?)$/.test(name) && this.#object("application", name) === undefined;
    if (name === application) return !isOfIcmp || protocol === 1 || protocol === 58;
    if (this.#object("application-filter", name) !== undefined) return this.#facts.selected?.[name]?.includes(application) === true;
    const group = this.#object("application-group", name);
    return group !== undefined && listed(group, "members").some((member) => this.#isApplication(member, flow, isAnyService));
  }

  /** Whether a service is that of a flow. */
  serves(name: string, flow: Flow): boolean {
    if (name === "any") return true;
    if (name === "application-default") return this.#isAtHome(flow);
    const group = this.#object("service-group", name);
    if (group !== undefined) return listed(group, "members").some((member) => this.serves(member, flow));
    const object = this.#object("service", name);
    if (object === undefined) {
      const ports = name === "service-http" ? [80, 8080] : name === "service-https" ? [443] : [];
      return flow.protocol === 6 && ports.includes(flow.port);
    }
    const kind = at(object, "protocol", NAMES[flow.protocol] ?? "none");
    const from = kind === undefined ? undefined : said(kind, "source-port");
    return kind !== undefined && inPorts(said(kind, "port") ?? "", flow.port) && (from === undefined || inPorts(from, flow.sourcePort));
  }

  #isAtHome({ application, protocol, port, icmpType = "" }: Flow): boolean {
    const custom = this.#object("application", application);
    const own = custom === undefined ? [] : ownDefaults(custom);
    const rows = own.length > 0 ? own : (this.#facts.atHome[application] ?? []);
    return rows.some((row) => {
      const [kind = "", ports = ""] = row.split("/");
      if (row === String(protocol)) return true;
      if (kind === "icmp" || kind === "icmp6") {
        const [type, code] = row.split("/").slice(1);
        const [isType, isCode] = icmpType.split("/");
        return protocol === (kind === "icmp" ? 1 : 58) && type === isType && (code === undefined || code === isCode);
      }
      return NAMES[protocol] === kind && (ports === "dynamic" || inPorts(ports, port));
    });
  }
}

const NAMES: Readonly<Record<number, string>> = { 6: "tcp", 17: "udp", 132: "sctp" };

/** Default services of an application of the configuration, as rows of `atHome`. */
function ownDefaults(application: Element): readonly string[] {
  const defaults = at(application, "default");
  const protocol = at(defaults, "ident-by-ip-protocol")?.text;
  if (protocol !== undefined) return [protocol];
  for (const word of ["icmp", "icmp6"]) {
    const ident = at(defaults, `ident-by-${word}-type`);
    const [type, code] = [at(ident, "type")?.text, at(ident, "code")?.text];
    if (ident !== undefined) return [[word, type ?? ident.text, ...(code === undefined ? [] : [code])].join("/")];
  }
  return listed(defaults ?? application, "port");
}

function rulesIn(place: Element | undefined, ...tags: readonly string[]): readonly Element[] {
  return at(place, ...tags, "rules")?.children ?? [];
}

/** A device group and those above it. */
function groupsFrom(config: Element | undefined, name: string): readonly Element[] {
  const named = (list: Element | undefined, wanted: string | undefined) => list?.children.find((each) => each.name === wanted);
  const parents = at(config, "readonly", "devices", "entry", "device-group");
  const group = named(at(config, "devices", "entry", "device-group"), name);
  const above = named(parents, name);
  const parent = above === undefined ? undefined : said(above, "parent-dg");
  return [...(group === undefined ? [] : [group]), ...(parent === undefined ? [] : groupsFrom(config, parent))];
}

/** The text of a configuration. */
export function parse(xml: string): Element | undefined {
  const root: Element = { tag: "", name: "", text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name: tag, attributes }) => {
    const element: Element = { tag, name: String(attributes.name ?? ""), text: "", children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text.trim();
  });
  parser.on("closetag", () => open.pop());
  parser.write(xml).close();
  return root.children[0];
}

export function at(element: Element | undefined, ...tags: readonly string[]): Element | undefined {
  return tags.reduce((place, tag) => place?.children.find((child) => child.tag === tag), element);
}

export function said(element: Element, tag: string): string | undefined {
  return at(element, tag)?.text;
}

export function listed(element: Element, tag: string): readonly string[] {
  return at(element, tag)?.children.map(({ text }) => text) ?? [];
}

export function has(rule: Element, tag: string, zone: string): boolean {
  const zones = listed(rule, tag);
  return zones.length === 0 || zones.includes("any") || zones.includes(zone);
}

function inPorts(text: string, port: number): boolean {
  return text.split(",").some((part) => {
    const ends = part.split("-").map(Number);
    return (ends[0] ?? 0) <= port && port <= (ends.at(-1) ?? -1);
  });
}

/** Everything as IPv6, IPv4 as its last four bytes. */
const six = (each: string): string => (each.includes(":") ? each : `::${each}`);

const blockOf = remembered((text: string): BlockList => {
  const list = new BlockList();
  const [low = "", high] = text.split("-");
  const [base = "", length] = low.split("/");
  if (high !== undefined) list.addRange(six(low), six(high), "ipv6");
  else if (length !== undefined) list.addSubnet(six(base), Number(length) + (base.includes(":") ? 0 : 96), "ipv6");
  else list.addAddress(six(base), "ipv6");
  return list;
});

export const isWithin = remembered((text: string, address: string): boolean => {
  try {
    return blockOf(text).check(six(address), "ipv6");
  } catch {
    return false;
  }
});

function fitsWildcard(text: string, address: string): boolean {
  if (address.includes(":")) return false;
  const [base = [], mask = []] = text.split("/").map((part) => part.split(".").map(Number));
  return address.split(".").every((part, byte) => {
    const counting = 255 - (mask[byte] ?? 0);
    return (Number(part) & counting) === ((base[byte] ?? 0) & counting);
  });
}
