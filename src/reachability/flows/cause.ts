import type { Pair } from "./pairing.js";
import { type AnyOf, type Match, type Named, type Rule, type RuleKey, ruleId, type Unknown } from "./policy.js";

/** The edit that caused a row. */
export type Cause =
  | { readonly kind: "rule"; readonly change: "added" | "removed" | "moved" | "disabled" | "enabled"; readonly rule: Rule }
  | { readonly kind: "rule"; readonly change: "changed"; readonly before: Rule; readonly rule: Rule }
  | { readonly kind: "objects"; readonly objects: readonly ObjectChange[] };

/** An object, by its id, that both versions use and whose own content differs. */
export interface ObjectChange {
  readonly id: string;
  readonly before: NamedOfAny;
  readonly after: NamedOfAny;
}

export type NamedOfAny = Named<unknown>;

interface Version {
  readonly rules: readonly Rule[];
  readonly disabled?: readonly RuleKey[] | undefined;
}

interface Versions {
  readonly before: Version;
  readonly after: Version;
}

/** Finds the edit that changed each rule. */
export class Causes {
  readonly #changed: ReadonlyMap<string, ObjectChange>;
  /** For each object, the ids of changed objects among itself and its members. Cached, because thousands of rules may use one group. */
  readonly #changedIn = new Map<NamedOfAny, readonly string[]>();
  readonly #pairs: { readonly before: ReadonlyMap<number, Pair>; readonly after: ReadonlyMap<number, Pair> };
  readonly #rules: { readonly before: readonly Rule[]; readonly after: readonly Rule[] };
  readonly #disabled: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> };

  constructor(versions: Versions, pairs: readonly Pair[]) {
    const [before, after] = [versions.before.rules, versions.after.rules];
    this.#rules = { before, after };
    const keys = ({ disabled = [] }: Version) => new Set(disabled.map(ruleId));
    this.#disabled = { before: keys(versions.before), after: keys(versions.after) };
    this.#pairs = { before: new Map(pairs.map((pair) => [pair.before, pair])), after: new Map(pairs.map((pair) => [pair.after, pair])) };
    const old = objectsOf(before);
    this.#changed = new Map(
      [...objectsOf(after)].flatMap(([id, object]) => {
        const was = old.get(id);
        return was === undefined || was === object || contentOf(was) === contentOf(object)
          ? []
          : [[id, { id, before: was, after: object }]];
      }),
    );
  }

  /** Returns the cause of a new decision of a rule. If the text of the rule is unchanged, the cause is a changed object in it. */
  of(side: "before" | "after", at: number): Cause {
    const pair = this.#pairs[side].get(at);
    const own = this.#rules[side][at] as Rule;
    if (pair === undefined && side === "before") {
      return { kind: "rule", change: this.#disabled.after.has(ruleId(own.key)) ? "disabled" : "removed", rule: own };
    }
    if (pair === undefined) return { kind: "rule", change: this.#disabled.before.has(ruleId(own.key)) ? "enabled" : "added", rule: own };
    const [before, after] = [this.#rules.before[pair.before] as Rule, this.#rules.after[pair.after] as Rule];
    if (textOf(before) !== textOf(after)) return { kind: "rule", change: "changed", before, rule: after };
    if (!pair.inOrder) return { kind: "rule", change: "moved", rule: after };
    const used = new Set([...namedBy(before), ...namedBy(after)].flatMap((object) => this.#within(object)));
    const objects = [...used].sort().flatMap((id) => this.#changed.get(id) ?? []);
    return objects.length === 0 ? { kind: "rule", change: "changed", before, rule: after } : { kind: "objects", objects };
  }

  #within(object: NamedOfAny): readonly string[] {
    const known = this.#changedIn.get(object);
    if (known !== undefined) return known;
    const own = this.#changed.has(object.id) ? [object.id] : [];
    const all = [...new Set([...own, ...object.members.flatMap((member) => this.#within(member))])];
    this.#changedIn.set(object, all);
    return all;
  }
}

/** Returns equal keys for equal causes. */
export function causeKey(cause: Cause): string {
  if (cause.kind === "objects") return JSON.stringify(cause.objects.map(({ id }) => id));
  const { level, group, name, uuid } = cause.rule.key;
  return JSON.stringify([cause.change, level, group, name, uuid]);
}

/** Returns all objects in the rules and their members, by id. */
function objectsOf(rules: readonly Rule[]): ReadonlyMap<string, NamedOfAny> {
  const objects = new Set<NamedOfAny>(rules.flatMap(namedBy));
  for (const { members } of objects) for (const member of members) objects.add(member);
  return new Map([...objects].map((object) => [object.id, object]));
}

function namedBy({ source, destination, traffic }: Rule): readonly NamedOfAny[] {
  const matches: readonly Match<unknown>[] = [source, destination, ...traffic.flatMap((each) => [each.applications, each.services])];
  return matches.flatMap((match) => (match === "any" ? [] : match.objects));
}

/** Returns the own content of an object. A change in a member belongs to the member. */
const contentOf = ({ values, members, unknowns }: NamedOfAny): string =>
  text([values.map(text).sort(), members.map(({ id }) => id).sort(), unknowns.map(definition).sort()]);

/** Returns the content of a rule, with objects as ids. */
function textOf({ zones, source, destination, traffic, users, conditions, verdict }: Rule): string {
  return text([
    { type: zones.type, from: zones.from, to: zones.to },
    idsOf(source),
    idsOf(destination),
    traffic.map((each) => [idsOf(each.applications), idsOf(each.services), (each.conditions ?? []).map(literals)]),
    users === "any" ? users : [users.states, users.unknowns.map(definition).sort()],
    conditions.map(literals),
    verdict,
  ]);
}

const idsOf = (match: Match<unknown>): unknown => (match === "any" ? match : [match.negated, match.objects.map(({ id }) => id).sort()]);
const literals = (anyOf: AnyOf): readonly string[] => anyOf.map(({ unknown, holds }) => `${holds} ${definition(unknown)}`).sort();
const definition = ({ kind, definition: content }: Unknown): string => JSON.stringify([kind, content]);
const text = (value: unknown): string => JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
