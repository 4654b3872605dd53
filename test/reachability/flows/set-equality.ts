import { OTHER_APPLICATION } from "../../../src/reachability/flows/coordinates.js";
import type { AddressRange, AnyOf, Match, Named, Policy, Rule, ServiceRange, Unknown } from "../../../src/reachability/flows/policy.js";
import type { Region } from "../../../src/reachability/flows/region.js";
import { truth } from "./brute.js";
import { FALSE, Robdd, TRUE } from "./robdd.js";

const USERS = ["known", "unknown", "pre-logon"];
/** First bit and number of bits of each field of a flow. Unknown conditions are last. */
const BITS = {
  from: [0, 4],
  to: [4, 4],
  source: [8, 12],
  destination: [20, 12],
  application: [32, 4],
  service: [36, 24],
  sourcePort: [60, 16],
  user: [76, 2],
} as const;
const UNKNOWNS = 78;
type Field = keyof typeof BITS;

/**
 * Flow sets of policies and rows as diagrams over the bits of a flow: zones, addresses below 4,096, applications, protocol and
 * port, source port, user, and one bit for each unknown of a subject. Zones and applications are numbered as given.
 */
export class FlowDiagrams {
  readonly #bdd = new Robdd();
  readonly #zones: readonly string[];
  readonly #applications: readonly string[];
  readonly #unknowns: string[] = [];
  /** Bit strings that are a flow. */
  readonly flows: number;

  constructor(zones: readonly string[], applications: readonly string[]) {
    this.#zones = zones;
    this.#applications = [...applications, OTHER_APPLICATION];
    this.flows = this.#all([
      this.#span("from", 0, zones.length - 1),
      this.#span("to", 0, zones.length - 1),
      this.#span("application", 0, this.#applications.length - 1),
      this.#span("user", 0, USERS.length - 1),
    ]);
  }

  /** Flows that have another verdict in one policy than in the other. */
  difference(before: Policy, after: Policy): number {
    return this.#bdd.and(this.flows, this.#bdd.xor(this.allowed(before), this.allowed(after)));
  }

  /** Flows that a policy allows. */
  allowed({ rules, otherwise }: Policy): number {
    const last = otherwise === "allow" ? TRUE : FALSE;
    return rules.reduceRight((below, rule) => {
      const matching = this.#rule(rule);
      const rest = this.#bdd.and(below, this.#bdd.not(matching));
      return rule.verdict === "allow" ? this.#bdd.or(matching, rest) : rest;
    }, last);
  }

  regions(regions: readonly Region[]): number {
    return this.#any(regions.map((region) => this.#region(region)));
  }

  #region(region: Region): number {
    const names = (field: "from" | "to", zones: readonly string[]): number => this.#any(zones.map((zone) => this.#zone(field, zone)));
    return this.#all([
      this.flows,
      this.#any(region.zones.map(({ from, to }) => this.#bdd.and(names("from", from), names("to", to)))),
      this.#any(region.source.map((range) => this.#addresses("source", range))),
      this.#any(region.destination.map((range) => this.#addresses("destination", range))),
      this.#any(region.applications.map((name) => this.#application(name))),
      this.#any(region.services.map((range) => this.#service(range))),
      this.#any(region.sourcePorts.map(({ first, last }) => this.#span("sourcePort", first, last))),
      this.#any(region.users.map((state) => this.#user(state))),
      ...region.conditions.map(({ subject, unknown, holds }) => this.#literal(subject, unknown, holds)),
    ]);
  }

  #rule(rule: Rule): number {
    return this.#all([
      this.#zonePairs(rule),
      this.#match("source", rule.source, (range) => this.#addresses("source", range)),
      this.#match("destination", rule.destination, (range) => this.#addresses("destination", range)),
      this.#users(rule),
      ...rule.conditions.map((anyOf) => this.#anyOf(anyOf)),
      this.#any(
        rule.traffic.map(({ applications, services, conditions = [] }) =>
          this.#all([
            this.#match("application", applications, (name) => this.#application(name)),
            this.#match("service", services, (range) => this.#service(range)),
            ...conditions.map((anyOf) => this.#anyOf(anyOf)),
          ]),
        ),
      ),
    ]);
  }

  #zonePairs({ zones: { type, from, to } }: Rule): number {
    const side = (field: "from" | "to", names: "any" | readonly string[]): number =>
      names === "any" ? TRUE : this.#any(names.map((name) => this.#zone(field, name)));
    const same = this.#any(this.#zones.map((name) => this.#bdd.and(this.#zone("from", name), this.#zone("to", name))));
    if (type === "intrazone") return this.#bdd.and(side("from", from), same);
    const pairs = this.#bdd.and(side("from", from), side("to", to));
    return type === "universal" ? pairs : this.#bdd.and(pairs, this.#bdd.not(same));
  }

  #users({ users }: Rule): number {
    if (users === "any") return TRUE;
    const named = this.#any(users.unknowns.map((unknown) => this.#literal("user", unknown, true)));
    return this.#bdd.or(this.#any(users.states.map((state) => this.#user(state))), this.#bdd.and(this.#user("known"), named));
  }

  #match<Value>(subject: string, match: Match<Value>, value: (value: Value) => number): number {
    if (match === "any") return TRUE;
    const inside = (object: Named<Value>): number =>
      this.#any([
        ...object.values.map(value),
        ...object.members.map(inside),
        ...object.unknowns.map((unknown) => this.#literal(subject, unknown, true)),
      ]);
    const all = this.#any(match.objects.map(inside));
    return match.negated ? this.#bdd.not(all) : all;
  }

  #anyOf(anyOf: AnyOf): number {
    return this.#any(anyOf.map(({ unknown, holds }) => this.#literal("circumstance", unknown, holds)));
  }

  #literal(subject: string, unknown: Unknown, holds: boolean): number {
    const text = truth(subject, unknown);
    if (!this.#unknowns.includes(text)) this.#unknowns.push(text);
    return this.#bdd.variable(UNKNOWNS + this.#unknowns.indexOf(text), holds);
  }

  #service({ protocol, first, last, sourcePorts }: ServiceRange): number {
    const ports = this.#span("service", protocol * 65_536 + first, protocol * 65_536 + last);
    return sourcePorts === undefined
      ? ports
      : this.#bdd.and(ports, this.#any(sourcePorts.map((each) => this.#span("sourcePort", each.first, each.last))));
  }

  /** Addresses from 4,096 on are equivalent in these tests and are represented by none. */
  #addresses(field: "source" | "destination", { first, last }: AddressRange): number {
    const most = 4095n;
    return first > most ? FALSE : this.#bdd.range(BITS[field][0], BITS[field][1], first, last < most ? last : most);
  }

  #zone = (field: "from" | "to", name: string): number => this.#span(field, this.#zones.indexOf(name), this.#zones.indexOf(name));
  #application = (name: string): number => this.#span("application", this.#applications.indexOf(name), this.#applications.indexOf(name));
  #user = (state: string): number => this.#span("user", USERS.indexOf(state), USERS.indexOf(state));
  #span = (field: Field, first: number, last: number): number =>
    this.#bdd.range(BITS[field][0], BITS[field][1], BigInt(first), BigInt(last));
  #any = (nodes: readonly number[]): number => nodes.reduce((all, node) => this.#bdd.or(all, node), FALSE);
  #all = (nodes: readonly number[]): number => nodes.reduce((all, node) => this.#bdd.and(all, node), TRUE);
  both = (a: number, b: number): number => this.#bdd.and(a, b);
  either = (a: number, b: number): number => this.#bdd.or(a, b);
}
