import { readFileSync } from "node:fs";
import { addressRange } from "../../../../src/core/address-range.js";
import type {
  AddressRange,
  Literal,
  Match,
  Named,
  Policy,
  Rule,
  ServiceRange,
  Unknown,
} from "../../../../src/reachability/flows/policy.js";
import { sharedConfigurations } from "../../../core/tree/shared-data.js";
import { named, range, tcp, type World } from "../../../reachability/flows/worlds.js";
import { type Element, type Facts, type Flow, parse } from "./brute.js";

/** The firewall of the quickstart, and configurations of real devices if they are next to the checkout. */
export const REAL: readonly { readonly name: string; readonly xml: string }[] = ["desired-state/lab/edge.xml", ...sharedConfigurations].map(
  (file) => ({ name: file.slice(file.lastIndexOf("/") + 1), xml: readFileSync(file, "utf8") }),
);

type Random = () => number;

/** Values of a configuration: flows and facts are drawn from them and from adjacent values. */
export class Spoken {
  readonly #addresses: readonly string[];
  readonly #ports: readonly number[];
  readonly #zones: readonly string[];
  readonly #applications: readonly string[];
  readonly #users: readonly string[];
  readonly #names: readonly string[];
  readonly #holding: readonly string[];
  readonly #filters: readonly string[];

  constructor(xml: string) {
    const texts = new Map<string, Set<string>>();
    const read = (element: Element): void => {
      for (const child of element.children) {
        const key = child.tag === "member" || child.tag === "entry" ? element.tag : child.tag;
        const known = texts.get(key) ?? new Set();
        texts.set(key, known);
        for (const text of [child.text, child.name]) if (text !== "" && text !== "any") known.add(text);
        read(child);
      }
    };
    const config = parse(xml);
    if (config !== undefined) read(config);
    const under = (...keys: readonly string[]): readonly string[] => [...new Set(keys.flatMap((key) => [...(texts.get(key) ?? [])]))];
    const ranges = under("ip-netmask", "ip-range", "source", "destination", "address").flatMap((text) => addressRange(text) ?? []);
    this.#addresses = [...new Set([...ranges.flatMap(endsOf), 0x0a000001n, 0xc0000201n, 0x20010db8n << 96n])].map(textOf);
    const ports = under("port", "source-port").flatMap((text) => text.match(/\d+/g)?.map(Number) ?? []);
    this.#ports = [...new Set([...ports.flatMap((port) => [port - 1, port, port + 1]), 22, 25, 53, 80, 443, 8080])].filter(isPort);
    this.#zones = [...new Set([...under("from", "to", "zone"), "elsewhere"])];
    this.#filters = under("application-filter");
    // No session is one of a group or of a filter.
    const notOne = new Set([...this.#filters, ...under("application-group")]);
    this.#applications = [...new Set([...under("application", "members"), "unheard-of"])].filter((name) => !notOne.has(name));
    this.#users = [...under("source-user").map((name) => name.toLowerCase()), "unknown", "pre-logon", "somebody"];
    this.#names = under("fqdn", "url", "filter", "source", "destination", "static");
    this.#holding = under("schedule", "category", "hip-profiles", "source-hip", "destination-hip");
  }

  /** Any value of the configuration, or those of `rule`, some of them replaced with other values. */
  flow(random: Random, rule?: Rule): Flow {
    const near = <Item>(all: readonly Item[], own: readonly Item[]): Item => one(random, own.length > 0 && random() < 0.9 ? own : all);
    const zonesOf = (names: "any" | readonly string[] | undefined) => (names === undefined || names === "any" ? [] : names);
    const traffic = rule === undefined ? undefined : one(random, rule.traffic);
    const service = near<ServiceRange | undefined>([undefined], traffic === undefined ? [] : valuesIn([traffic.services]));
    const addresses = (match: Match<AddressRange> | undefined) =>
      valuesIn(match === undefined ? [] : [match])
        .flatMap(endsOf)
        .map(textOf);
    const names =
      rule === undefined || rule.users === "any" ? [] : [...rule.users.states, ...rule.users.unknowns.map(({ definition }) => definition)];
    const from = near(this.#zones, zonesOf(rule?.zones.from));
    return {
      from,
      to: rule?.zones.type === "intrazone" ? from : near(this.#zones, zonesOf(rule?.zones.to)),
      source: near(this.#addresses, addresses(rule?.source)),
      destination: near(this.#addresses, addresses(rule?.destination)),
      protocol: service?.protocol ?? one(random, [6, 6, 6, 17, 132, 1]),
      port: service === undefined ? one(random, this.#ports) : one(random, [service.first, service.last]),
      sourcePort: one(random, [1000, 45_000, 60_000]),
      application: near(this.#applications, traffic === undefined ? [] : valuesIn([traffic.applications])),
      user: near(
        this.#users,
        names.map((name) => (name === "known" ? "somebody" : name)),
      ),
    };
  }

  facts(random: Random): Facts {
    const some = <Item>(items: readonly Item[]) => items.filter(() => random() < 0.3);
    const of = <Value>(names: readonly string[], value: () => Value) => Object.fromEntries(names.map((name) => [name, value()]));
    return {
      addresses: of(this.#names, () => some(this.#addresses)),
      atHome: of(this.#applications, () => one(random, [["tcp/443"], ["udp/53", "tcp/53"], ["tcp/80"], ["tcp/22", "tcp/25"]])),
      holding: new Set(some(this.#holding)),
      selected: of(this.#filters, () => some(this.#applications)),
    };
  }
}

const one = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const isPort = (port: number): boolean => port >= 0 && port <= 65_535;

/** Ends of a range, and the adjacent values. */
const endsOf = ({ first, last }: AddressRange): readonly bigint[] =>
  [first, last, first - 1n, last + 1n].filter((each) => each >= 0n && each < 2n ** 128n);

function textOf(address: bigint): string {
  if (address < 2n ** 32n) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
  return Array.from({ length: 8 }, (_, at) => ((address >> BigInt(16 * (7 - at))) & 0xffffn).toString(16)).join(":");
}

function objectsIn<Value>(matches: readonly Match<Value>[]): Named<Value>[] {
  const all = new Set(matches.flatMap((match) => (match === "any" ? [] : match.objects)));
  for (const { members } of all) for (const member of members) all.add(member);
  return [...all];
}

const valuesIn = <Value>(matches: readonly Match<Value>[]): readonly Value[] => objectsIn(matches).flatMap(({ values }) => values);

/** Values in the rules of a policy and a few more, from which edits are drawn. */
export function worldOf({ zones, rules }: Policy): World {
  const traffic = rules.flatMap((rule) => rule.traffic);
  const unknownsIn = (literals: readonly Literal[]): readonly Unknown[] => literals.map(({ unknown }) => unknown);
  return {
    zones,
    addresses: [
      ...objectsIn(rules.flatMap(({ source, destination }) => [source, destination])),
      named("ten", [range(0x0a000000n, 0x0affffffn)]),
    ],
    services: [...objectsIn(traffic.map(({ services }) => services)), named("tls", [tcp(443)])],
    applications: [...objectsIn(traffic.map(({ applications }) => applications)), named("ssl", ["ssl"])],
    users: rules.flatMap(({ users }) => (users === "any" ? [] : users.unknowns)),
    circumstances: unknownsIn(
      [...rules.flatMap(({ conditions }) => conditions), ...traffic.flatMap(({ conditions = [] }) => conditions)].flat(),
    ),
    narrow: 85,
  };
}
