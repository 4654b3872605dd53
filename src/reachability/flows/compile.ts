import { groupBy } from "../../core/group-by.js";
import { Conjunctions, type Subject } from "./conjunctions.js";
import { Coordinates, USER_STATES } from "./coordinates.js";
import {
  type AddressRange,
  ANY_FLOW,
  type AnyOf,
  type FlowSet,
  type Match,
  type Named,
  type Policy,
  type Rule,
  type ServiceRange,
  type Unknown,
  type UserMatch,
  type Verdict,
} from "./policy.js";
import { RankSets } from "./rank-sets.js";
import { RuleIndex } from "./rule-index.js";
import { type Box, PLACE, Space } from "./space.js";

/** Maximum number of boxes per rule with separate unknowns. Above it, the unknowns of one field are merged. */
const MOST_BOXES = 512;

/** A rule as boxes, which may overlap. Without boxes it matches no flow. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly boxes: readonly Box[];
}

/** A policy in the space that it shares with the compared policies. The last rule represents the end of the rules and matches all flows. */
export interface CompiledPolicy {
  readonly policy: Policy;
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** Rules with merged unknowns. Findings about them are true, but may have needless conditions. */
  readonly coarse: readonly Rule[];
}

/** Policies and questions in one space. Later questions must be included here, because each axis is cut at every end of a set. */
export interface Model {
  readonly space: Space;
  readonly coordinates: Coordinates;
  readonly policies: readonly CompiledPolicy[];
  /** The flows of each question. No boxes: the question selects no flow. */
  readonly questions: readonly (readonly Box[])[];
  /** Ranks of the known values of an object and its members. */
  readonly known: KnownSets;
}

interface KnownSets {
  addresses(side: "source" | "destination", object: Named<AddressRange>): number;
}

/** Level of the rule that represents the end of the rules. */
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
    ...ANY_FLOW,
    verdict,
    action: verdict,
  };
}

/** One way in which a field matches: sets at some places of a box, under literals. */
interface Way {
  readonly at: readonly (readonly [place: number, set: number])[];
  readonly literals: readonly number[];
}

/** The ways of an unrestricted field. */
const ANY: readonly Way[] = [{ at: [], literals: [] }];

class Compiler implements KnownSets {
  readonly #space: Space;
  readonly #coordinates: Coordinates;
  readonly #sets = { source: new Map<unknown, number>(), destination: new Map<unknown, number>(), application: new Map<unknown, number>() };
  readonly #ofService = new Map<Named<ServiceRange>, ReadonlyMap<number, number>>();
  readonly #open = new Map<Named<unknown>, boolean>();

  constructor(space: Space, coordinates: Coordinates) {
    this.#space = space;
    this.#coordinates = coordinates;
  }

  addresses(side: "source" | "destination", object: Named<AddressRange>): number {
    return this.#known(side, object, (range) => this.#coordinates.addressRanks(side, range));
  }

  /** Returns the boxes of a flow set. Calls `coarse` if it merged unknowns. */
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

  /** Returns the ways of a match whose objects have ranks of one axis, and unknowns. */
  #plain<Value>(
    axis: "source" | "destination" | "application",
    match: Match<Value>,
    known: (object: Named<Value>) => number,
  ): readonly Way[] {
    if (match === "any") return ANY;
    const sets = this.#space.axis(axis);
    const all = sets.union(match.objects.map(known));
    const held = match.negated ? sets.minus(RankSets.ALL, all) : all;
    return this.#ways(axis, match.negated, [[[PLACE[axis], held]]], this.#unknownsOf(match.objects));
  }

  /** Services with equal source ports make one way. A negated match is the complement of all of them. */
  #services(match: Match<ServiceRange>): readonly Way[] {
    if (match === "any") return ANY;
    const held = [...this.#together(match.objects.flatMap((object) => [...this.#byPorts(object)]))].map(([from, services]) =>
      this.#space.everything.with(PLACE.service, services).with(PLACE.sourcePort, from),
    );
    const boxes = match.negated ? this.#space.minusAll([this.#space.everything], held) : held;
    const places = [PLACE.service, PLACE.sourcePort];
    return this.#ways(
      "service",
      match.negated,
      boxes.map((box) => places.map((place) => [place, box[place] as number])),
      this.#unknownsOf(match.objects),
    );
  }

  /** Returns the services of an object and its members, by source ports. */
  #byPorts(object: Named<ServiceRange>): ReadonlyMap<number, number> {
    const known = this.#ofService.get(object);
    if (known !== undefined) return known;
    const [services, ports] = [this.#space.axis("service"), this.#space.axis("sourcePort")];
    const own = object.values.map((range): readonly [number, number] => [
      range.sourcePorts === undefined ? RankSets.ALL : ports.of(range.sourcePorts.map((each) => this.#coordinates.sourcePortRanks(each))),
      services.of([this.#coordinates.serviceRanks(range)]),
    ]);
    const all = this.#together([...own, ...object.members.flatMap((member) => [...this.#byPorts(member)])]);
    this.#ofService.set(object, all);
    return all;
  }

  #together(held: readonly (readonly [from: number, services: number])[]): ReadonlyMap<number, number> {
    if (held.length < 2) return new Map(held);
    const sets = this.#space.axis("service");
    return new Map([...groupBy(held, ([from]) => from)].map(([from, all]) => [from, sets.union(all.map(([, services]) => services))]));
  }

  #unknownsOf(objects: readonly Named<unknown>[]): readonly Unknown[] {
    const open = objects.filter((object) => this.#hasUnknowns(object));
    return open.length === 0 ? [] : [...withMembers(open)].flatMap(({ unknowns }) => unknowns);
  }

  #hasUnknowns(object: Named<unknown>): boolean {
    if (object.members.length === 0) return object.unknowns.length > 0;
    const known = this.#open.get(object);
    if (known !== undefined) return known;
    const isOpen = object.unknowns.length > 0 || object.members.some((member) => this.#hasUnknowns(member));
    this.#open.set(object, isOpen);
    return isOpen;
  }

  #ways(subject: Subject, negated: boolean, known: readonly Way["at"][], unknowns: readonly Unknown[]): readonly Way[] {
    const literals = unknowns.map((unknown) => this.#space.conditions.literal(subject, unknown, !negated));
    if (negated) return known.map((at) => ({ at, literals }));
    return [...known.map((at) => ({ at, literals: [] })), ...literals.map((literal) => ({ at: [], literals: [literal] }))];
  }

  #users(users: UserMatch): readonly Way[] {
    if (users === "any") return ANY;
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
    return anyOf.map(({ unknown, holds, subject = "circumstance" }) => ({
      at: [],
      literals: [this.#space.conditions.literal(subject, unknown, holds)],
    }));
  }

  /** Limits the number of boxes. Merges the conditional ways of the longest field until the product is small enough. */
  #few(fields: readonly (readonly Way[])[], coarse: () => void): readonly (readonly Way[])[] {
    const boxes = fields.reduce((product, ways) => product * Math.max(ways.length, 1), 1);
    if (boxes <= MOST_BOXES) return fields;
    const longest = fields.toSorted((a, b) => b.length - a.length)[0] ?? [];
    const open = longest.filter(({ literals }) => literals.length === 1);
    if (open.length < 2) return fields;
    coarse();
    const together = this.#asOne(open);
    const shorter = [...longest.filter((way) => !open.includes(way)), together];
    return this.#few(
      fields.map((ways) => (ways === longest ? shorter : ways)),
      coarse,
    );
  }

  /** Merges ways into one unknown: "one of these holds". */
  #asOne(ways: readonly Way[]): Way {
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
    let boxes = [start];
    for (const ways of fields) {
      if (ways === ANY) continue;
      const narrowed: Box[] = [];
      for (const box of boxes)
        for (const way of ways) {
          const each = this.#narrowed(box, way);
          if (each !== undefined) narrowed.push(each);
        }
      boxes = narrowed;
    }
    return boxes;
  }

  /** Returns undefined for an empty box. */
  #narrowed(box: Box, { at, literals }: Way): Box | undefined {
    const narrowed = [...box];
    for (const [place, set] of at) {
      if (set === RankSets.NONE) return undefined;
      narrowed[place] = set;
    }
    if (literals.length === 0) return narrowed;
    const { conditions } = this.#space;
    const condition = conditions.and(box[PLACE.condition] as number, conditions.of(literals));
    if (condition === Conjunctions.NEVER) return undefined;
    narrowed[PLACE.condition] = condition;
    return narrowed;
  }

  /** Removes boxes inside other boxes. Of equal boxes the first stays. */
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
    const own = sets.of(object.values.map(ranks));
    const all = object.members.length === 0 ? own : sets.union([own, ...object.members.map((member) => this.#known(axis, member, ranks))]);
    this.#sets[axis].set(object, all);
    return all;
  }
}

function withMembers<Value>(objects: readonly Named<Value>[]): ReadonlySet<Named<Value>> {
  const all = new Set(objects);
  for (const { members } of all) for (const member of members) all.add(member);
  return all;
}
