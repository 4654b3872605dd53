import { Conjunctions, type Subject } from "./conjunctions.js";
import { Coordinates, USER_STATES } from "./coordinates.js";
import type { AddressRange, AnyOf, FlowSet, Match, Named, Policy, Rule, ServiceRange, Unknown, UserMatch, Verdict } from "./policy.js";
import { RankSets } from "./rank-sets.js";
import { RuleIndex } from "./rule-index.js";
import { type Box, PLACE, Space } from "./space.js";

/** Unknowns of one rule are told apart while they make no more boxes than this; then those of one field count as one. */
const MOST_BOXES = 512;

/** A rule as boxes, which may overlap. None: it matches nothing. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly boxes: readonly Box[];
}

/** A policy in the space of all that it is compared with; the last rule stands for the end of the rules, and matches everything. */
export interface CompiledPolicy {
  readonly policy: Policy;
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** Rules of which unknowns were taken together: what is said of them is true, but may be conditional without need. */
  readonly coarse: readonly Rule[];
}

/** Policies and questions in one space; what is asked later must be a question here, for an axis is cut where any of them ends. */
export interface Model {
  readonly space: Space;
  readonly coordinates: Coordinates;
  readonly policies: readonly CompiledPolicy[];
  /** The flows of each question. None: it asks about nothing. */
  readonly questions: readonly (readonly Box[])[];
  /** Ranks of what an object holds itself and by its members, unknowns aside. */
  readonly known: KnownSets;
}

interface KnownSets {
  addresses(side: "source" | "destination", object: Named<AddressRange>): number;
}

/** What stands for the end of the rules: the verdict where none matches. */
export const END_LEVEL = "end";

export function compile(policies: readonly Policy[], questions: readonly FlowSet[] = []): Model {
  const coordinates = new Coordinates(policies, questions);
  const space = new Space(coordinates.sizes, new Conjunctions());
  const compiler = new Compiler(space, coordinates);
  return {
    space,
    coordinates,
    policies: policies.map((policy) => {
      const coarse: Rule[] = [];
      const rules = [...policy.rules, endOf(policy.otherwise)].map((rule) => ({
        rule,
        boxes: compiler.boxes(rule, () => coarse.push(rule)),
      }));
      return { policy, rules, index: new RuleIndex(space, rules), coarse };
    }),
    questions: questions.map((question) => compiler.boxes(question, () => undefined)),
    known: compiler,
  };
}

function endOf(verdict: Verdict): Rule {
  return {
    key: { level: END_LEVEL, group: "", name: "no rule" },
    origin: {},
    zones: { type: "universal", from: "any", to: "any" },
    source: "any",
    destination: "any",
    traffic: [{ applications: "any", services: "any" }],
    users: "any",
    conditions: [],
    verdict,
    action: verdict,
  };
}

/** One way in which a field matches: sets at some places of a box, under literals. */
interface Way {
  readonly at: readonly (readonly [place: number, set: number])[];
  readonly literals: readonly number[];
}

class Compiler implements KnownSets {
  readonly #space: Space;
  readonly #coordinates: Coordinates;
  readonly #sets = { source: new Map<unknown, number>(), destination: new Map<unknown, number>(), application: new Map<unknown, number>() };

  constructor(space: Space, coordinates: Coordinates) {
    this.#space = space;
    this.#coordinates = coordinates;
  }

  addresses(side: "source" | "destination", object: Named<AddressRange>): number {
    return this.#known(side, object, (range) => this.#coordinates.addressRanks(side, range));
  }

  /** The boxes of a flow set; `coarse` is called where unknowns had to be taken together. */
  boxes(flows: FlowSet, coarse: () => void): readonly Box[] {
    const zones = this.#coordinates.zonePairs(flows.zones, this.#space.axis("zones"));
    if (zones === RankSets.NONE) return [];
    const shared = [
      this.#plain("source", flows.source, (object) => this.addresses("source", object)),
      this.#plain("destination", flows.destination, (object) => this.addresses("destination", object)),
      this.#users(flows.users),
      ...flows.conditions.map((anyOf) => this.#anyOf(anyOf)),
    ];
    const start = this.#space.everything.with(PLACE.zones, zones);
    const boxes = flows.traffic.flatMap(({ applications, services, conditions = [] }) => {
      const application = this.#plain("application", applications, (object) =>
        this.#known("application", object, (name) => {
          const rank = this.#coordinates.applicationRank(name);
          return [rank, rank + 1];
        }),
      );
      const fields = [...shared, application, this.#services(services), ...conditions.map((anyOf) => this.#anyOf(anyOf))];
      return this.#product(start, this.#few(fields, coarse));
    });
    return this.#withoutHeld(boxes);
  }

  /** A match whose objects hold ranks of one axis, and unknowns. */
  #plain<Value>(
    axis: "source" | "destination" | "application",
    match: Match<Value>,
    known: (object: Named<Value>) => number,
  ): readonly Way[] {
    if (match === "any") return [{ at: [], literals: [] }];
    const sets = this.#space.axis(axis);
    // At once: object by object each step would copy all before it, and 40 rules of 5,000 each took 40 s.
    const [one, ...others] = match.objects.map(known);
    const all = others.length === 0 ? (one ?? RankSets.NONE) : sets.of(match.objects.flatMap((object) => sets.ranges(known(object))));
    const unknowns = unknownsOf(match.objects);
    return this.#ways(axis, match.negated, [[[PLACE[axis], match.negated ? sets.minus(RankSets.ALL, all) : all]]], unknowns);
  }

  /** Services of equal source ports make one way. A complement leaves what each of them leaves. */
  #services(match: Match<ServiceRange>): readonly Way[] {
    if (match === "any") return [{ at: [], literals: [] }];
    const [services, ports] = [this.#space.axis("service"), this.#space.axis("sourcePort")];
    const byPorts = new Map<number, (readonly [number, number])[]>();
    for (const range of valuesOf(match.objects)) {
      const from =
        range.sourcePorts === undefined ? RankSets.ALL : ports.of(range.sourcePorts.map((each) => this.#coordinates.sourcePortRanks(each)));
      byPorts.set(from, [...(byPorts.get(from) ?? []), this.#coordinates.serviceRanks(range)]);
    }
    const held = [...byPorts].map(([from, ranges]) =>
      this.#space.everything.with(PLACE.service, services.of(ranges)).with(PLACE.sourcePort, from),
    );
    const boxes = match.negated ? this.#space.minusAll([this.#space.everything], held) : held;
    const places = [PLACE.service, PLACE.sourcePort];
    return this.#ways(
      "service",
      match.negated,
      boxes.map((box) => places.map((place) => [place, box[place] as number])),
      unknownsOf(match.objects),
    );
  }

  #ways(subject: Subject, negated: boolean, known: readonly Way["at"][], unknowns: readonly Unknown[]): readonly Way[] {
    const literals = unknowns.map((unknown) => this.#space.conditions.literal(subject, unknown, !negated));
    if (negated) return known.map((at) => ({ at, literals }));
    return [...known.map((at) => ({ at, literals: [] })), ...literals.map((literal) => ({ at: [], literals: [literal] }))];
  }

  #users(users: UserMatch): readonly Way[] {
    if (users === "any") return [{ at: [], literals: [] }];
    const set = (states: readonly string[]): number =>
      this.#space.axis("user").of(USER_STATES.flatMap((state, rank) => (states.includes(state) ? [[rank, rank + 1] as const] : [])));
    const named = users.unknowns.map(
      (unknown): Way => ({
        at: [[PLACE.user, set(["known"])]],
        literals: [this.#space.conditions.literal("user", unknown, true)],
      }),
    );
    return [{ at: [[PLACE.user, set(users.states)]], literals: [] }, ...named];
  }

  #anyOf(anyOf: AnyOf): readonly Way[] {
    return anyOf.map(({ unknown, holds }) => ({ at: [], literals: [this.#space.conditions.literal("circumstance", unknown, holds)] }));
  }

  /** Fields whose ways make a bearable number of boxes: while they make more, those with literals of the longest field become one. */
  #few(fields: readonly (readonly Way[])[], coarse: () => void): readonly (readonly Way[])[] {
    const boxes = fields.reduce((product, ways) => product * Math.max(ways.length, 1), 1);
    if (boxes <= MOST_BOXES) return fields;
    const longest = fields.toSorted((a, b) => b.length - a.length)[0] ?? [];
    const open = longest.filter(({ literals }) => literals.length === 1);
    if (open.length < 2) return fields;
    coarse();
    const together = this.#together(open);
    const shorter = [...longest.filter((way) => !open.includes(way)), together];
    return this.#few(
      fields.map((ways) => (ways === longest ? shorter : ways)),
      coarse,
    );
  }

  /** One unknown for "one of these holds". */
  #together(ways: readonly Way[]): Way {
    const literals = [...new Set(ways.flatMap((way) => way.literals))];
    const texts = literals.map((literal) => ({ ...this.#space.conditions.unknownOf(literal), holds: literal % 2 === 0 }));
    const subject = texts[0]?.subject ?? "circumstance";
    const unknown: Unknown = {
      kind: "one of several",
      definition: JSON.stringify(texts.map((each) => [each.unknown.kind, each.unknown.definition, each.holds]).sort()),
      name: `one of ${texts.length}: ${texts.map((each) => each.unknown.name).join(", ")}`,
      reason: texts[0]?.unknown.reason ?? "",
    };
    return { at: ways[0]?.at ?? [], literals: [this.#space.conditions.literal(subject, unknown, true)] };
  }

  #product(start: Box, fields: readonly (readonly Way[])[]): readonly Box[] {
    return fields.reduce<readonly Box[]>((boxes, ways) => boxes.flatMap((box) => ways.flatMap((way) => this.#narrowed(box, way))), [start]);
  }

  /** None where nothing is left. */
  #narrowed(box: Box, { at, literals }: Way): readonly Box[] {
    const narrowed = at.reduce((each, [place, set]) => each.with(place, set), box);
    const condition = this.#space.conditions.of([...this.#space.conditions.literals(box[PLACE.condition] as number), ...literals]);
    const empty = condition === Conjunctions.NEVER || at.some(([, set]) => set === RankSets.NONE);
    return empty ? [] : [narrowed.with(PLACE.condition, condition)];
  }

  /** Boxes that another one holds add nothing; of equal ones the first stays. */
  #withoutHeld(boxes: readonly Box[]): readonly Box[] {
    if (boxes.length < 2) return boxes;
    const held = (box: Box, at: number): boolean =>
      boxes.some((other, place) => place !== at && this.#space.within(box, other) && (place < at || !this.#space.within(other, box)));
    return boxes.filter((box, at) => !held(box, at));
  }

  #known<Value>(
    axis: "source" | "destination" | "application",
    object: Named<Value>,
    ranks: (value: Value) => readonly [number, number],
  ): number {
    const known = this.#sets[axis].get(object);
    if (known !== undefined) return known;
    const sets = this.#space.axis(axis);
    const all = sets.of([
      ...object.values.map(ranks),
      ...object.members.flatMap((member) => sets.ranges(this.#known(axis, member, ranks))),
    ]);
    this.#sets[axis].set(object, all);
    return all;
  }
}

function withMembers<Value>(objects: readonly Named<Value>[]): ReadonlySet<Named<Value>> {
  const all = new Set(objects);
  for (const { members } of all) for (const member of members) all.add(member);
  return all;
}

const unknownsOf = <Value>(objects: readonly Named<Value>[]): readonly Unknown[] =>
  [...withMembers(objects)].flatMap(({ unknowns }) => unknowns);
const valuesOf = <Value>(objects: readonly Named<Value>[]): readonly Value[] => [...withMembers(objects)].flatMap(({ values }) => values);
