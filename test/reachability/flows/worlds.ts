import type {
  AddressRange,
  AnyOf,
  Match,
  Named,
  Policy,
  Rule,
  ServiceRange,
  Traffic,
  Unknown,
  UserMatch,
  ZonePairs,
} from "../../../src/reachability/flows/policy.js";
import type { Flow } from "./brute.js";
import { truth } from "./brute.js";

/** Numbers that look random, the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 12_345) >>> 0;
  }

  /** 0 to `below`-1. */
  roll(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.roll(items.length)] as Item;
  }

  some<Item>(items: readonly Item[], most: number): readonly Item[] {
    return Array.from({ length: 1 + this.roll(most) }, () => this.one(items));
  }

  chance(percent: number): boolean {
    return this.roll(100) < percent;
  }
}

/** Names from which the rules of a generated policy are drawn. */
export interface World {
  readonly zones: readonly string[];
  readonly addresses: readonly Named<AddressRange>[];
  readonly services: readonly Named<ServiceRange>[];
  readonly applications: readonly Named<string>[];
  readonly users: readonly Unknown[];
  readonly circumstances: readonly Unknown[];
  /** Percentage of fields with another value than "any". */
  readonly narrow: number;
}

export const unknown = (kind: string, name: string): Unknown => ({ kind, definition: `definition of ${name}`, name, reason: "not read" });

export function named<Value>(
  name: string,
  values: readonly Value[],
  more: { readonly members?: readonly Named<Value>[]; readonly unknowns?: readonly Unknown[] } = {},
): Named<Value> {
  return { id: name, name, values, members: more.members ?? [], unknowns: more.unknowns ?? [] };
}

export const range = (first: bigint, last: bigint): AddressRange => ({ first, last });
const TCP = 6;
export const tcp = (first: number, last = first): ServiceRange => ({ protocol: TCP, first, last });
const web: Named<ServiceRange> = named("web", [tcp(80), tcp(443)]);

/** A rule that matches everything except for the fields in `more`. */
export function ruleOf(name: string, verdict: string, more: Partial<Rule> & { readonly level?: string } = {}): Rule {
  const { level = "local", ...fields } = more;
  return {
    key: { level, group: "", name },
    origin: { file: "rules.yaml", line: 1 },
    zones: { type: "universal", from: "any", to: "any" },
    source: "any",
    destination: "any",
    traffic: [{ applications: "any", services: "any" }],
    users: "any",
    conditions: [],
    verdict,
    action: verdict,
    ...fields,
  };
}

export const of = <Value>(...objects: readonly Named<Value>[]): Match<Value> => ({ negated: false, objects });

const DEFAULTS = [
  ruleOf("intrazone-default", "allow", { level: "default", zones: { type: "intrazone", from: "any", to: "any" } }),
  ruleOf("interzone-default", "deny", { level: "default", zones: { type: "interzone", from: "any", to: "any" } }),
];

export function policyOf(zones: readonly string[], rules: readonly Rule[]): Policy {
  return { scope: "vsys1", zones, otherZones: false, rules: [...rules, ...DEFAULTS], otherwise: "deny", limits: [] };
}

export function randomRule(world: World, dice: Dice, name: string): Rule {
  const match = <Value>(objects: readonly Named<Value>[], negate: number): Match<Value> =>
    dice.chance(world.narrow) ? { negated: dice.chance(negate), objects: dice.some(objects, 3) } : "any";
  const zoneNames = (): "any" | readonly string[] => (dice.chance(world.narrow) ? dice.some(world.zones, 2) : "any");
  const type: ZonePairs["type"] = dice.one(["universal", "universal", "universal", "intrazone", "interzone"]);
  const traffic = (): Traffic => ({ applications: match(world.applications, 0), services: match(world.services, 5) });
  const users: UserMatch =
    world.users.length > 0 && dice.chance(15)
      ? { states: dice.one([[], ["unknown"], ["known", "pre-logon"]]), unknowns: dice.some(world.users, 2) }
      : "any";
  const anyOf = (): AnyOf => dice.some(world.circumstances, 2).map((each) => ({ unknown: each, holds: dice.chance(70) }));
  return ruleOf(name, dice.chance(50) ? "allow" : "deny", {
    zones: { type, from: zoneNames(), to: zoneNames() },
    source: match(world.addresses, 15),
    destination: match(world.addresses, 15),
    traffic: dice.chance(15) ? [traffic(), traffic()] : [traffic()],
    users,
    conditions: world.circumstances.length > 0 && dice.chance(15) ? [anyOf()] : [],
  });
}

export function randomPolicy(world: World, dice: Dice, rules: number): Policy {
  return policyOf(
    world.zones,
    Array.from({ length: rules }, (_, at) => randomRule(world, dice, `rule-${at}`)),
  );
}

/** The same policy after some edits: rules added, removed, moved and changed, verdicts turned round, objects that hold something else. */
export function edited(world: World, dice: Dice, policy: Policy, edits: number): Policy {
  let rules: readonly Rule[] = policy.rules.slice(0, -DEFAULTS.length);
  for (let edit = 0; edit < edits; edit++) {
    const at = dice.roll(rules.length + 1);
    const victim = rules[at];
    const kind = dice.roll(6);
    if (kind === 0 || victim === undefined) rules = rules.toSpliced(at, 0, randomRule(world, dice, `added-${edit}-${dice.roll(1000)}`));
    else if (kind === 1) rules = rules.toSpliced(at, 1);
    else if (kind === 2) rules = rules.toSpliced(at, 1).toSpliced(dice.roll(rules.length), 0, victim);
    else if (kind === 3) rules = rules.with(at, { ...randomRule(world, dice, victim.key.name), verdict: victim.verdict });
    else if (kind === 4) rules = rules.with(at, { ...victim, verdict: victim.verdict === "allow" ? "deny" : "allow" });
    else rules = withOtherObject(rules, dice.one(world.addresses), dice.one(world.addresses));
  }
  return { ...policy, rules: [...rules, ...policy.rules.slice(-DEFAULTS.length)] };
}

/** All rules, with one address object that also contains another one's addresses. */
function withOtherObject(rules: readonly Rule[], object: Named<AddressRange>, more: Named<AddressRange>): readonly Rule[] {
  const grown: Named<AddressRange> = { ...object, values: [...object.values, ...more.values] };
  const replace = (each: Named<AddressRange>): Named<AddressRange> =>
    each.id === object.id ? grown : { ...each, members: each.members.map(replace) };
  const inMatch = (match: Match<AddressRange>): Match<AddressRange> =>
    match === "any" ? match : { ...match, objects: match.objects.map(replace) };
  return rules.map((rule) => ({ ...rule, source: inMatch(rule.source), destination: inMatch(rule.destination) }));
}

const FQDNS = ["a.example.org", "b.example.org"].map((name) => unknown("fqdn", name));

/** Two zones, four addresses, three ports, two applications, two unknown conditions: small enough to evaluate every flow. */
export const SMALL: World = {
  zones: ["in", "out"],
  addresses: [
    named("one", [range(1n, 1n)]),
    named("low", [range(0n, 1n)]),
    named("high", [range(2n, 3n)]),
    named("ends", [range(0n, 0n), range(3n, 3n)]),
    named("fqdn-a", [], { unknowns: [FQDNS[0] as Unknown] }),
    named("group", [], { members: [named("three", [range(3n, 3n)]), named("fqdn-b", [], { unknowns: [FQDNS[1] as Unknown] })] }),
  ],
  services: [named("80", [tcp(80)]), named("80-81", [tcp(80, 81)]), web, named("nothing", [])],
  applications: [named("ssl", ["ssl"]), named("both", ["ssl", "dns"])],
  users: [],
  circumstances: [],
  narrow: 50,
};

/** Every flow of the small world under all conditions; with `beyond`, one of each value that its objects distinguish. */
export function everyFlow(beyond = true): readonly Flow[] {
  const truths = FQDNS.flatMap((fqdn) => ["source", "destination"].map((subject) => truth(subject, fqdn)));
  const holdings = Array.from({ length: 2 ** truths.length }, (_, bits) => new Set(truths.filter((_text, at) => (bits >> at) & 1)));
  const flows: Flow[] = [];
  const addresses = [0n, 1n, 2n, 3n, ...(beyond ? [4n] : [])];
  for (const from of SMALL.zones)
    for (const to of SMALL.zones)
      for (const source of addresses)
        for (const destination of addresses)
          for (const application of ["ssl", "something", ...(beyond ? ["dns"] : [])])
            for (const port of [80, 81, 443, ...(beyond ? [22] : [])])
              for (const holding of holdings)
                flows.push({ from, to, source, destination, application, protocol: TCP, port, sourcePort: 1024, user: "unknown", holding });
  return flows;
}

/** Addresses that generated objects of a large world lie below. */
const LARGEST = 4096;
const APPLICATIONS = ["ssl", "dns", "ssh", "ntp", "smtp", "postgres", "ldap", "ping"];

/** Many zones, objects, groups, applications, services, users and circumstances, drawn with the dice. */
export function largeWorld(dice: Dice, objects: number): World {
  const hosts = Array.from({ length: objects }, (_, at) => {
    const first = dice.roll(LARGEST);
    const last = dice.chance(50) ? first : Math.min(LARGEST - 1, first + dice.roll(256));
    return dice.chance(4)
      ? named(`fqdn-${at}`, [], { unknowns: [unknown("fqdn", `fqdn-${at}`)] })
      : named(`host-${at}`, [range(BigInt(first), BigInt(last))]);
  });
  const groups = Array.from({ length: Math.ceil(objects / 5) }, (_, at) =>
    named<AddressRange>(`group-${at}`, [], { members: dice.some(hosts, 8) }),
  );
  const services = Array.from({ length: 30 }, (_, at) => {
    const first = dice.roll(60_000);
    const port: ServiceRange = { protocol: dice.one([TCP, 17]), first, last: first + dice.roll(100) };
    return named(`service-${at}`, [dice.chance(10) ? { ...port, sourcePorts: [{ first: 1024, last: 2048 }] } : port]);
  });
  return {
    zones: Array.from({ length: 8 }, (_, at) => `zone-${at}`),
    addresses: [...hosts, ...groups],
    services,
    applications: [...APPLICATIONS.map((name) => named(name, [name])), named("some", APPLICATIONS.slice(0, 3))],
    users: ["mkovacs", "staff"].map((name) => unknown("user", name)),
    circumstances: ["office hours", "compliant"].map((name) => unknown("schedule", name)),
    narrow: 85,
  };
}

/** A flow of a large world: every value at random, or a value in a rule or next to one. */
export function randomFlow(world: World, dice: Dice, rule: Rule | undefined): Flow {
  const near = (match: Match<AddressRange> | undefined): bigint => {
    const object = match === undefined || match === "any" || match.objects.length === 0 ? undefined : dice.one(match.objects);
    const values = object === undefined ? [] : [...object.values, ...object.members.flatMap(({ values: own }) => own)];
    const value = values.length === 0 ? undefined : dice.one(values);
    if (value === undefined) return BigInt(dice.roll(LARGEST + 16));
    return dice.one([value.first, value.last, value.first === 0n ? 0n : value.first - 1n, value.last + 1n]);
  };
  const traffic = rule === undefined ? undefined : dice.one(rule.traffic);
  const service =
    traffic === undefined || traffic.services === "any" || traffic.services.objects.length === 0
      ? undefined
      : dice.one(traffic.services.objects).values[0];
  const zone = (names: "any" | readonly string[] | undefined): string =>
    names === undefined || names === "any" ? dice.one(world.zones) : dice.one(names);
  const applications =
    traffic === undefined || traffic.applications === "any" ? [] : traffic.applications.objects.flatMap(({ values }) => values);
  const addresses = world.addresses.flatMap(({ unknowns }) => unknowns);
  const truths = [
    ...addresses.flatMap((each) => [truth("source", each), truth("destination", each)]),
    ...world.applications.flatMap(({ unknowns }) => unknowns.map((each) => truth("application", each))),
    ...world.users.map((each) => truth("user", each)),
    ...world.circumstances.map((each) => truth("circumstance", each)),
  ];
  return {
    from: zone(rule?.zones.from),
    to: zone(rule?.zones.type === "intrazone" ? undefined : rule?.zones.to),
    source: near(rule?.source),
    destination: near(rule?.destination),
    application: applications.length > 0 && dice.chance(80) ? dice.one(applications) : dice.one([...APPLICATIONS, "unheard-of"]),
    protocol: service?.protocol ?? dice.one([TCP, 17, 1]),
    port:
      service === undefined ? dice.roll(65_536) : dice.one([service.first, service.last, Math.max(0, service.first - 1), service.last + 1]),
    sourcePort: dice.one([1023, 1024, 2048, 2049, 50_000]),
    user: dice.one(["known", "known", "unknown", "pre-logon"]),
    holding: new Set(truths.filter(() => dice.chance(40))),
  };
}
