import type { AddressRange, FlowSet, Match, Named, Policy, ServiceRange, UserState, ZonePairs } from "./policy.js";
import { RankSets } from "./rank-sets.js";
import type { Axis } from "./space.js";

const ADDRESSES = 1n << 128n;
const PORTS = 65_536;
const PROTOCOLS = 256;
/** Zones for a target with an incomplete list of zones. There are two, so that a pair of different ones exists. */
const OTHER_ZONES = ["another zone", "yet another zone"];
/** Represents all applications that no rule names. */
export const OTHER_APPLICATION = "any other application";
export const USER_STATES: readonly UserState[] = ["known", "unknown", "pre-logon"];

/** A number line, cut at the start and after the end of each range. Rank n is from the n-th cut to the next. */
export class Line<Value extends number | bigint> {
  readonly cuts: readonly Value[];
  readonly end: Value;
  readonly #ranks: ReadonlyMap<Value, number>;

  /** `cuts` may be unsorted and contain duplicates. The line includes `start` and excludes `end`. */
  constructor(cuts: Iterable<Value>, start: Value, end: Value) {
    const sorted = [start, ...cuts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    this.cuts = sorted.filter((cut, at) => cut < end && cut !== sorted[at - 1]);
    this.end = end;
    this.#ranks = new Map(this.cuts.map((cut, rank) => [cut, rank]));
  }

  /** Returns the rank that begins at a cut, or the number of ranks for the end of the line. */
  rankAt(cut: Value): number {
    const rank = cut === this.end ? this.cuts.length : this.#ranks.get(cut);
    if (rank === undefined) throw new RangeError(`${cut} is no cut of this line`);
    return rank;
  }

  /** Returns the rank of a value of the line. */
  rankOf(value: Value): number {
    let [low, high] = [0, this.cuts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.cuts[middle] as Value) <= value) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Returns the start of a rank, or the end of the line for the number of ranks. */
  startOf(rank: number): Value {
    return this.cuts[rank] ?? this.end;
  }
}

/** Assigns the ranks of each axis, for all compared flow sets. */
export class Coordinates {
  readonly zones: readonly string[];
  /** Names of the additional zones for an incomplete list. */
  readonly otherZones: ReadonlySet<string>;
  readonly applications: readonly string[];
  /** False if no target distinguishes applications. */
  readonly knowsApplications: boolean;
  readonly addresses: { readonly source: Line<bigint>; readonly destination: Line<bigint> };
  /** Protocol number times 65,536, plus port. */
  readonly services: Line<number>;
  readonly sourcePorts: Line<number>;
  readonly #pairs = new Map<string, number>();
  readonly #zoneRanks: ReadonlyMap<string, number>;
  readonly #applicationRanks: ReadonlyMap<string, number>;

  constructor(policies: readonly Policy[], questions: readonly FlowSet[]) {
    const flows = [...policies.flatMap(({ rules }) => rules), ...questions];
    this.otherZones = new Set(policies.some(({ otherZones }) => otherZones) ? OTHER_ZONES : []);
    const named = flows.flatMap(({ zones: { from, to } }) => [...namesOf(from), ...namesOf(to)]);
    this.zones = [...new Set([...policies.flatMap(({ zones }) => zones), ...named, ...this.otherZones])];
    this.#zoneRanks = ranksOf(this.zones);
    const applications = valuesOf(flows.flatMap(({ traffic }) => traffic.map((each) => each.applications)));
    this.applications = [...new Set(applications), OTHER_APPLICATION];
    this.knowsApplications = policies.some(({ withoutApplications }) => withoutApplications !== true);
    this.#applicationRanks = ranksOf(this.applications);
    this.addresses = {
      source: addressLine(flows.map(({ source }) => source)),
      destination: addressLine(flows.map((flow) => flow.destination)),
    };
    const services = valuesOf(flows.flatMap(({ traffic }) => traffic.map((each) => each.services)));
    this.services = new Line(
      services.flatMap((range) => [startOf(range), endOf(range)]),
      0,
      PROTOCOLS * PORTS,
    );
    const ports = services.flatMap(({ sourcePorts }) => sourcePorts ?? []);
    this.sourcePorts = new Line(
      ports.flatMap(({ first, last }) => [first, last + 1]),
      0,
      PORTS,
    );
  }

  get sizes(): Readonly<Record<Axis, number>> {
    return {
      zones: this.zones.length ** 2,
      service: this.services.cuts.length,
      application: this.applications.length,
      user: USER_STATES.length,
      sourcePort: this.sourcePorts.cuts.length,
      source: this.addresses.source.cuts.length,
      destination: this.addresses.destination.cuts.length,
    };
  }

  /** Returns the set of zone pairs of a rule. */
  zonePairs(zones: ZonePairs, sets: RankSets): number {
    // Zone names contain no line break, so the key is unambiguous.
    const key = `${zones.type}\n\n${listKey(zones.from)}\n\n${listKey(zones.to)}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const pairs = this.#pairsOf(zones, sets);
    this.#pairs.set(key, pairs);
    return pairs;
  }

  #pairsOf({ type, from, to }: ZonePairs, sets: RankSets): number {
    if (type === "universal" && from === "any" && to === "any") return RankSets.ALL;
    const all = this.zones.map((_, rank) => rank);
    const ranks = (names: "any" | readonly string[]) => (names === "any" ? all : names.map((name) => this.#zoneRanks.get(name) as number));
    const [sources, targets] = [ranks(from), type === "intrazone" ? [] : ranks(to)];
    const pairs = type === "intrazone" ? sources.map((zone) => [zone, zone]) : sources.flatMap((a) => targets.map((b) => [a, b]));
    const chosen = pairs.filter(([a, b]) => type !== "interzone" || a !== b);
    return sets.of(chosen.map(([a = 0, b = 0]) => [a * all.length + b, a * all.length + b + 1]));
  }

  /** Returns undefined if no policy has one of the zones. */
  zonePairRank(from: string, to: string): number | undefined {
    const [one, other] = [this.#zoneRanks.get(from), this.#zoneRanks.get(to)];
    return one === undefined || other === undefined ? undefined : one * this.zones.length + other;
  }

  userRank(state: UserState): number {
    return USER_STATES.indexOf(state);
  }

  serviceRank(protocol: number, port: number): number {
    return this.services.rankOf(protocol * PORTS + port);
  }

  /** Returns the rank of an application. Applications that no rule names share one rank. */
  applicationRank(name: string): number {
    return this.#applicationRanks.get(name) ?? this.applications.length - 1;
  }

  addressRanks(side: "source" | "destination", { first, last }: AddressRange): readonly [number, number] {
    return [this.addresses[side].rankAt(first), this.addresses[side].rankAt(last + 1n)];
  }

  serviceRanks(range: ServiceRange): readonly [number, number] {
    return [this.services.rankAt(startOf(range)), this.services.rankAt(endOf(range))];
  }

  sourcePortRanks({ first, last }: { readonly first: number; readonly last: number }): readonly [number, number] {
    return [this.sourcePorts.rankAt(first), this.sourcePorts.rankAt(last + 1)];
  }
}

const startOf = ({ protocol, first }: ServiceRange): number => protocol * PORTS + first;
const endOf = ({ protocol, last }: ServiceRange): number => protocol * PORTS + last + 1;
const listKey = (names: "any" | readonly string[]): string => (names === "any" ? "\n" : names.join("\n"));
const namesOf = (names: "any" | readonly string[]): readonly string[] => (names === "any" ? [] : names);
const ranksOf = (names: readonly string[]): ReadonlyMap<string, number> => new Map(names.map((name, rank) => [name, rank]));

function addressLine(matches: readonly Match<AddressRange>[]): Line<bigint> {
  const cuts: bigint[] = [];
  for (const { first, last } of valuesOf(matches)) cuts.push(first, last + 1n);
  return new Line(cuts, 0n, ADDRESSES);
}

/** Returns all values of the objects and their members. Visits each object once. Values of two objects occur twice. */
function valuesOf<Value>(matches: readonly Match<Value>[]): readonly Value[] {
  const objects = new Set<Named<Value>>();
  for (const match of matches) if (match !== "any") for (const object of match.objects) objects.add(object);
  const values: Value[] = [];
  for (const { members, values: own } of objects) {
    for (const member of members) objects.add(member);
    for (const value of own) values.push(value);
  }
  return values;
}
