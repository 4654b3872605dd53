import type { TreeNode } from "../../src/core/tree/node.js";
import type { Element, Facts, Flow } from "../targets/panos/policy/brute.js";

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const some = <Item>(random: Random, items: readonly Item[], most: number): Item[] => [
  ...new Set(Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, items))),
];
const list = (tag: string, members: readonly string[]): string =>
  `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
const entry = (name: string, inner: string): string => `<entry name="${name}">${inner}</entry>`;

export const ZONES = ["a", "b"];
/** The last one is in no object, so that requests for all addresses of a zone differ from requests for the others. */
const HOSTS = ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "192.0.2.1"];
const APPLICATIONS = ["own-web", "ssl", "postgres"];
/** Applications without ports, and the service of a request for each. */
const PORTLESS: Readonly<Record<string, string>> = { ping: "icmp", "own-ping": "icmp", "own-gre": "47" };
const PORTS = [80, 443, 8080];

/** A group of users, which only a directory knows. */
const STAFF = "cn=staff,dc=corp";
const USERS = ["jane", "corp\\alice"];

/** Names and literals that a rule, a group or a request may contain. */
export const ADDRESS_WORDS = ["h0", "h1", "low", "group", "outer", "10.0.0.1", "10.0.0.2", "10.0.0.2/31"];
export const SERVICE_WORDS = ["web", "tcp-443", "services"];
const WITH_PORTS = [...APPLICATIONS, "apps"];
export const APPLICATION_WORDS = [...WITH_PORTS, ...Object.keys(PORTLESS)];
/** Words whose content no configuration knows. */
const UNKNOWN_WORDS = ["name", "list"];

const OBJECTS = `
  <zone>${ZONES.map((zone) => entry(zone, "")).join("")}</zone>
  <address>${entry("h0", "<ip-netmask>10.0.0.0/32</ip-netmask>")}${entry("h1", "<ip-netmask>10.0.0.1</ip-netmask>")}
    ${entry("low", "<ip-netmask>10.0.0.0/31</ip-netmask>")}${entry("name", "<fqdn>db.example.org</fqdn>")}</address>
  <address-group>${entry("group", list("static", ["h1"]))}${entry("outer", list("static", ["group", "h0"]))}</address-group>
  <external-list>${entry("list", "<type><ip><url>http://lists/one</url></ip></type>")}</external-list>
  <service>${entry("web", "<protocol><tcp><port>80,8080</port></tcp></protocol>")}${entry("tcp-443", "<protocol><tcp><port>443</port></tcp></protocol>")}</service>
  <service-group>${entry("services", list("members", ["tcp-443"]))}</service-group>
  <application>${entry("own-web", `<default>${list("port", ["tcp/80"])}</default>`)}
    ${entry("own-ping", "<default><ident-by-icmp-type><type>8</type></ident-by-icmp-type></default>")}
    ${entry("own-gre", "<default><ident-by-ip-protocol>47</ident-by-ip-protocol></default>")}</application>
  <application-group>${entry("apps", list("members", ["ssl"]))}</application-group>`;

interface Shape {
  /** Chance of a word or condition whose content is not known. */
  readonly unknown: number;
  /** Chance that NAT names a group. */
  readonly nat: number;
}

function rule(random: Random, name: string, { unknown }: Shape): string {
  const often = (chance: number, text: () => string): string => (random() < chance ? text() : "");
  const words = (known: readonly string[]) => (random() < unknown ? UNKNOWN_WORDS : known);
  // A rule with one value in each field can get one more in one field without opening anything else.
  const isNarrow = random() < 0.6;
  const most = isNarrow ? 1 : 2;
  const members = (tag: string, known: readonly string[], any = 0.25): string =>
    random() < any && !isNarrow ? list(tag, ["any"]) : list(tag, some(random, known, most));
  const services = random() < 0.15 ? ["application-default"] : random() < 0.3 && !isNarrow ? ["any"] : some(random, SERVICE_WORDS, most);
  const action = pick(random, ["allow", "allow", "allow", "deny"]);
  return entry(
    name,
    [
      often(0.1, () => `<rule-type>${pick(random, ["intrazone", "interzone"])}</rule-type>`),
      members("from", ZONES),
      members("to", ZONES),
      members("source", words(ADDRESS_WORDS)),
      members("destination", words(ADDRESS_WORDS)),
      often(0.08, () => "<negate-source>yes</negate-source>"),
      members("application", random() < 0.75 ? WITH_PORTS : APPLICATION_WORDS, 0.4),
      list("service", services),
      often(unknown, () => list("source-user", [pick(random, ["jane", "corp\\alice", "known-user", STAFF])])),
      often(0.1, () => "<disabled>yes</disabled>"),
      `<action>${action}</action>`,
      often(0.4, () => `<log-setting>${pick(random, ["siem", "local"])}</log-setting>`),
      often(0.3, () => "<description>first</description>"),
    ].join(""),
  );
}

/** A configuration of few addresses, ports and applications, so that every flow can be decided. */
export function randomWorld(random: Random, rules: number, shape: Shape): string {
  const rows = Array.from({ length: rules }, (_, at) => rule(random, `r${at}`, shape));
  if (random() < 0.5)
    rows.push(
      entry(
        "cleanup",
        `${["from", "to", "source", "destination", "application", "service"].map((tag) => list(tag, ["any"])).join("")}<action>deny</action>`,
      ),
    );
  const nat = random() < shape.nat ? `<nat><rules>${entry("n1", list("source", [pick(random, ["group", "outer"])]))}</rules></nat>` : "";
  const rulebase = `<rulebase><security><rules>${rows.join("")}</rules></security>${nat}</rulebase>`;
  return `<config><shared/><devices>${entry("localhost.localdomain", `<vsys>${entry("vsys1", OBJECTS + rulebase)}</vsys>`)}</devices></config>`;
}

export interface Wanted {
  readonly from: string;
  readonly source: string | undefined;
  readonly to: string;
  readonly destination: string | undefined;
  readonly service: string;
  readonly application: string;
  readonly user?: string;
}

/** FQDNs that a request may name: that of an object, the same as a literal, and one without an object. */
const FQDNS = ["name", "db.example.org", "api.example.org"];
export const isFqdn = (text: string | undefined): boolean => text !== undefined && FQDNS.includes(text);

/**
 * A request at random, or one that a rule of the world allows except for one field.
 *
 * @param fqdns Chance that an end is an FQDN.
 * @param users Chance that it is for one user or group.
 */
export function randomRequest(random: Random, tree: TreeNode, fqdns = 0, users = 0): Wanted {
  const everybody = knownRequest(random, tree);
  const wanted = random() < users ? { ...everybody, user: pick(random, [...USERS, STAFF]) } : everybody;
  if (random() >= fqdns) return wanted;
  return { ...wanted, [pick(random, ["source", "destination", "destination"] as const)]: pick(random, FQDNS) };
}

function knownRequest(random: Random, tree: TreeNode): Wanted {
  const address = () => (random() < 0.1 ? undefined : pick(random, [...ADDRESS_WORDS, "10.0.0.3"]));
  const ends = { from: pick(random, ZONES), source: address(), to: pick(random, ZONES), destination: address() };
  const [portless, service] = pick(random, Object.entries(PORTLESS));
  const any: Wanted =
    random() < 0.2
      ? { ...ends, service, application: portless }
      : {
          ...ends,
          service: pick(random, ["tcp/80", "tcp/443", "tcp/8080", "tcp/80,8080", "web", "services"]),
          application: pick(random, WITH_PORTS),
        };
  const rules = rulesIn(tree).filter((each) => textsIn(each, "action")[0] === "allow");
  if (rules.length === 0 || random() < 0.4) return any;
  const near = pick(random, rules);
  const member = (tag: string, otherwise: string): string => {
    const known = textsIn(near, tag).filter((text) => !["any", "application-default", "name", "list"].includes(text));
    return known.length === 0 ? otherwise : pick(random, known);
  };
  const application = member("application", any.application);
  const close: Wanted = {
    from: member("from", any.from),
    source: member("source", any.source ?? "h0"),
    to: member("to", any.to),
    destination: member("destination", any.destination ?? "h1"),
    service: PORTLESS[application] ?? member("service", any.service),
    application,
  };
  const field = pick(random, ["from", "source", "to", "destination", "service", "application"] as const);
  const other = { ...close, [field]: any[field] };
  const own = PORTLESS[other.application];
  const fits = own === undefined ? !Object.values(PORTLESS).includes(other.service) : own === other.service;
  // No flow of a world is of an application without ports on another service, or the reverse.
  return fits ? other : { ...other, service: any.service, application: any.application };
}

function rulesIn(node: TreeNode): readonly TreeNode[] {
  const isRule = node.tag === "entry" && node.children.some(({ tag }) => tag === "action");
  return isRule ? [node] : node.children.flatMap(rulesIn);
}

function textsIn(rule: TreeNode, tag: string): readonly string[] {
  const child = rule.children.find((each) => each.tag === tag);
  return child === undefined ? [] : child.children.length === 0 ? [child.text] : child.children.map(({ text }) => text);
}

const TRAFFIC: readonly Pick<Flow, "protocol" | "port" | "application" | "icmpType">[] = [
  ...PORTS.flatMap((port) => [...APPLICATIONS, "other"].map((application) => ({ protocol: 6, port, application }))),
  ...Object.keys(PORTLESS).map((application) => ({ protocol: 6, port: 80, application })),
  ...["ping", "own-ping"].flatMap((application) => ["8", "0"].map((icmpType) => ({ protocol: 1, port: 0, application, icmpType }))),
  { protocol: 1, port: 0, application: "ssl", icmpType: "8" },
  { protocol: 58, port: 0, application: "ping", icmpType: "128" },
  { protocol: 47, port: 0, application: "own-gre" },
];

/** Every flow that the objects of a world can distinguish. */
export const EVERY_FLOW: readonly Flow[] = ZONES.flatMap((from) =>
  ZONES.flatMap((to) =>
    HOSTS.flatMap((source) =>
      HOSTS.flatMap((destination) =>
        TRAFFIC.flatMap((traffic) =>
          ["unknown", ...USERS].map((user) => ({ from, to, source, destination, sourcePort: 40_000, user, ...traffic })),
        ),
      ),
    ),
  ),
);

export function randomFacts(random: Random): Facts {
  const addresses = () => HOSTS.filter(() => random() < 0.4);
  return {
    addresses: { "db.example.org": addresses(), "api.example.org": addresses(), "http://lists/one": addresses() },
    atHome: { ssl: ["tcp/443"], postgres: ["tcp/8080"], ping: ["icmp/8"] },
    members: { [STAFF]: USERS.filter(() => random() < 0.5) },
    holding: new Set(),
  };
}

/** Facts in which the FQDNs of a request have every address, and other FQDNs have none. */
export function widestFacts(facts: Facts, { source, destination }: Wanted): Facts {
  const names = [source, destination].map((text) => (text === "name" ? "db.example.org" : text));
  const fqdns = ["db.example.org", "api.example.org"].map((name) => [name, names.includes(name) ? HOSTS : []] as const);
  return { ...facts, addresses: { ...facts.addresses, ...Object.fromEntries(fqdns) } };
}

/** The same tree for the independent interpreter. */
export function elementOf({ tag, name = "", text, children }: TreeNode): Element {
  return { tag, name, text, children: children.map(elementOf) };
}
