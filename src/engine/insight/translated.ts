import { compile, END_LEVEL, type Model } from "../../insight/compile.js";
import { differenceOf } from "../../insight/difference.js";
import type { AddressRange, Match, Named, Policy, Rule, ServiceRange } from "../../insight/policy.js";
import { reach } from "../../insight/reach.js";
import type { Region } from "../../insight/region.js";
import type { Row } from "../../insight/rows.js";
import type { ChangedFlows, ReachRow, ScopeInsight, TranslatedRow, ZoneMove } from "../../outcome/insight.js";
import type { TranslationStage } from "../policies.js";
import { listed, rangeText } from "./address-words.js";
import { insightOfDifference, openedFirst } from "./difference-words.js";
import { conditionWords } from "./flow-words.js";
import { causeWords, changedFlows, decidingWords, rowWords } from "./row-words.js";

/** Rules that are asked, over all flows that NAT sends elsewhere, before it is said that this was not worked out. */
const MOST_ASKED = 200_000;
/** Pairs of zones of one row that are looked at one by one. */
const MOST_PAIRS = 2000;

/** What NAT makes otherwise of flows, and what rules therefore make otherwise of them. */
export interface TranslatedInsight {
  readonly translated: readonly TranslatedRow[];
  readonly moved: readonly ZoneMove[];
  /** What rules let through and stop of flows that go to another zone. */
  readonly rows: readonly ReachRow[];
  readonly rest: Pick<ScopeInsight, "exact" | "idle" | "notes" | "undecided" | "doubts">;
  /** Interfaces and routes would tell more. */
  readonly wantsNetwork: boolean;
}

/** `rules`: what security rules of both versions say. */
export function translatedBetween(stage: TranslationStage, rules: readonly [Policy, Policy]): TranslatedInsight {
  const found = compared(stage, rules);
  const doubts = stage.alternatives
    .filter(({ stage: other }) => wordsOf(compared(other(), rules)) !== wordsOf(found))
    .map(({ doubt }) => doubt);
  const rest = { ...found.rest, exact: found.rest.exact && doubts.length === 0, doubts: [...found.rest.doubts, ...doubts] };
  const moved = stage.moves;
  const changes = found.translated.length + moved.length > 0;
  return { ...found, rest, moved, wantsNetwork: !stage.knowsRoutes && changes };
}

/** What rules and NAT say together. */
export function withTranslated(answer: ScopeInsight, { translated, moved, rows, rest }: TranslatedInsight): ScopeInsight {
  return {
    ...answer,
    exact: answer.exact && rest.exact,
    rows: [...answer.rows, ...rows].sort(openedFirst),
    ...(translated.length === 0 ? {} : { translated }),
    ...(moved.length === 0 ? {} : { moved }),
    idle: [...answer.idle, ...rest.idle],
    notes: [...answer.notes, ...rest.notes],
    undecided: [...answer.undecided, ...rest.undecided],
    doubts: [...new Set([...answer.doubts, ...rest.doubts])],
  };
}

const wordsOf = ({ translated, rows, rest }: Compared): string => JSON.stringify([translated, rows, rest]);

type Compared = Pick<TranslatedInsight, "translated" | "rows" | "rest">;

function compared(stage: TranslationStage, rules: readonly [Policy, Policy]): Compared {
  const [before, after] = stage.policies;
  const [known = after] = [before];
  if (known === undefined) return { translated: [], rows: [], rest: NOTHING };
  const policies = [before ?? withoutRules(known), after ?? withoutRules(known)] as const;
  const model = compile(policies);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other);
  const court = new Court(stage, rules);
  const rows: ReachRow[] = [];
  const translated = difference.rows.map((row): TranslatedRow => {
    const words = translatedWords(row, model, stage, policies);
    const { byRules, ...found } = court.judge(row, words);
    rows.push(...found.rows);
    return byRules === undefined ? words : { ...words, byRules };
  });
  const rest = insightOfDifference(model, difference, [one, other]);
  const doubts = [...new Set([...rest.doubts, ...court.doubts])];
  // Of a rule in pieces one may be left out, and others decide.
  const pieces = (name: string) => policies[1].rules.filter(({ key }) => key.name === name).length;
  const idle = rest.idle.filter(({ rule }) => pieces(rule) === 1).map((each) => ({ ...each, rule: `${each.rule} of NAT` }));
  const notes = rest.notes.map((note) => `NAT rule ${note}`);
  return { translated, rows, rest: { ...rest, idle, notes, doubts, exact: rest.exact && court.doubts.size === 0 } };
}

const NOTHING = { exact: true, idle: [], notes: [], undecided: [], doubts: [] };

function withoutRules(policy: Policy): Policy {
  return { ...policy, rules: [] };
}

function translatedWords(row: Row, model: Model, stage: TranslationStage, policies: readonly [Policy, Policy]): TranslatedRow {
  const regions = regionsOf(row);
  const all = { source: regions.flatMap(({ source }) => source), destination: regions.flatMap(({ destination }) => destination) };
  const deciding = ({ verdict, rules }: Row["before"]) => {
    const own = rules.filter(({ key }) => key.level !== END_LEVEL && key.level !== "default");
    // Of a whole with holes other rules may decide, each in its way.
    const isOne = rules.every((rule) => rule.verdict === verdict);
    return { ...decidingWords({ verdict, rules: unique(own) }), verdict: isOne ? stage.words(verdict, all) : "as each of its rules says" };
  };
  return { ...changedFlows(row, model), cause: causeOf(row, policies), was: deciding(row.before), now: deciding(row.after) };
}

/** A rule may be in pieces, of which some are new where others go: it changes. */
function causeOf({ cause }: Row, policies: readonly [Policy, Policy]): string {
  if (cause.kind === "objects") return causeWords(cause);
  const { name, level } = cause.rule.key;
  const verdicts = policies.map(({ rules }) =>
    rules.filter(({ key }) => key.name === name && key.level === level).map(({ verdict }) => verdict),
  );
  if (cause.change === "moved" || verdicts.some((own) => own.length === 0)) return `NAT ${causeWords(cause)}`;
  const isSame = verdicts[0]?.join() === verdicts[1]?.join();
  return `NAT rule ${name} ${isSame ? "changes" : "translates otherwise"}`;
}

/** Pieces of one rule are told as that rule. */
function unique(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify([rule.key.level, rule.key.name, rule.origin]), rule])).values()];
}

function regionsOf({ extent }: Row): readonly Region[] {
  return extent.kind === "boxes" ? extent.regions() : extent.wholes.map(({ within }) => within);
}

/** Flows that go from these zones to one zone before and to one after the change. */
interface Led {
  readonly from: readonly string[];
  readonly was: string;
  readonly now: string;
  readonly conditions: readonly string[];
  readonly destination: readonly AddressRange[];
}

type Judged = NonNullable<TranslatedRow["byRules"]>;

/** Security rules, asked about flows that NAT makes something else of. */
class Court {
  readonly doubts = new Set<string>();
  readonly #stage: TranslationStage;
  readonly #rules: readonly [Policy, Policy];
  #asked = 0;

  constructor(stage: TranslationStage, rules: readonly [Policy, Policy]) {
    this.#stage = stage;
    this.#rules = rules;
  }

  judge(row: Row, words: ChangedFlows): { readonly rows: readonly ReachRow[]; readonly byRules?: Judged } {
    const names = listed(
      words.was.rules
        .concat(words.now.rules)
        .map(({ name }) => name)
        .filter((name, at, all) => all.indexOf(name) === at),
      3,
    );
    if (row.extent.kind === "holes") {
      this.doubts.add(`What rules make of the flows that ${names} translates otherwise was not worked out: they are too many.`);
      return { rows: [] };
    }
    const rows: ReachRow[] = [];
    const verdicts: Judged[] = [];
    for (const region of row.extent.regions()) {
      const ledBy = this.#led(row, region, names);
      if (ledBy === undefined) {
        verdicts.push("may be allowed");
        continue;
      }
      for (const led of ledBy) {
        const [before, after] = [this.#filtered(0, led, led.was), this.#filtered(1, led, led.now)];
        this.#asked += before.rules.length + after.rules.length;
        if (this.#asked > MOST_ASKED) {
          this.doubts.add(
            `What rules make of all flows that NAT translates otherwise was not worked out: that would ask more than ${MOST_ASKED} rules.`,
          );
          verdicts.push("may be allowed");
          break;
        }
        const { found, byRules } = judged(before, after, flowsOf(region, led));
        verdicts.push(led.conditions.length === 0 && region.conditions.length === 0 ? byRules : conditional(byRules));
        if (led.was === led.now) continue;
        const given = [...(region.conditions.length === 0 ? [] : [conditionWords(region.conditions)]), ...led.conditions].join(", and ");
        const conditions = (own: readonly string[]) =>
          given === "" ? own : own.length === 0 ? [given] : own.map((each) => `${given}, and ${each}`);
        const cause = `${words.cause}: they go to ${led.now}, and went to ${led.was}`;
        rows.push(...found.map((each) => ({ ...each, cause, conditions: conditions(each.conditions) })));
      }
    }
    const byRules = together(verdicts);
    return byRules === undefined ? { rows } : { rows, byRules };
  }

  /** Where flows of a region go before and after; undefined where that is not known of some, which is said. */
  #led(row: Row, region: Region, names: string): readonly Led[] | undefined {
    const pairs = region.zones.flatMap(({ from, to }) => from.flatMap((one) => to.map((other) => [one, other] as const)));
    const found = new Map<string, Led & { readonly from: string[] }>();
    if (pairs.length > MOST_PAIRS) return this.#unknown(names, "they are of too many pairs of zones");
    const unknown = new Set<string>();
    for (const [from, to] of pairs) {
      const flows = { from, to, source: region.source, destination: region.destination };
      const [before, after] = [this.#stage.leads(0, row.before.verdict, flows), this.#stage.leads(1, row.after.verdict, flows)];
      for (const was of before)
        for (const now of after) {
          const destination = common(was.destination, now.destination);
          if (destination.length === 0) continue;
          if (was.zone === undefined || now.zone === undefined) {
            unknown.add((was.zone === undefined ? was.why : now.why) ?? "");
            continue;
          }
          const conditions = [...new Set([...was.conditions, ...now.conditions])];
          const key = JSON.stringify([was.zone, now.zone, conditions, destination.map(rangeText)]);
          const known = found.get(key) ?? { from: [], was: was.zone, now: now.zone, conditions, destination };
          if (!known.from.includes(from)) known.from.push(from);
          found.set(key, known);
        }
    }
    for (const why of unknown) this.#unknown(names, why);
    return unknown.size > 0 && found.size === 0 ? undefined : [...found.values()];
  }

  #unknown(names: string, why: string): undefined {
    this.doubts.add(`To which zone flows go that ${names} translates otherwise is not known (${why}): what rules make of them may change.`);
  }

  /** Rules that decide what goes from zones to one zone, told as if that zone were where it goes after the change. */
  #filtered(version: 0 | 1, { from, now }: Led, to: string): Policy {
    const policy = this.#rules[version];
    const rules = policy.rules.flatMap((rule): Rule[] => {
      const own = from.filter((zone) => isAbout(rule, zone, to));
      return own.length === 0 ? [] : [{ ...rule, zones: { type: "universal", from: own, to: [now] } }];
    });
    return { ...policy, rules, otherwise: ELSEWHERE, limits: [] };
  }
}

const ELSEWHERE = "elsewhere";

function isAbout({ zones: { type, from, to } }: Rule, source: string, target: string): boolean {
  if (from !== "any" && !from.includes(source)) return false;
  if (type === "intrazone") return source === target;
  if (type === "interzone" && source === target) return false;
  return to === "any" || to.includes(target);
}

interface Flows {
  readonly source: Match<AddressRange>;
  readonly destination: Match<AddressRange>;
  readonly services: Match<ServiceRange>;
  readonly zones: Rule["zones"];
}

function flowsOf({ source, services, sourcePorts, unrestricted }: Region, { from, now, destination }: Led): Flows {
  const ranges = services.map((range) => (unrestricted.has("sourcePort") ? range : { ...range, sourcePorts }));
  const isAny = unrestricted.has("service") && unrestricted.has("sourcePort");
  return {
    source: unrestricted.has("source") ? "any" : among(source),
    destination: among(destination),
    services: isAny ? "any" : among(ranges),
    zones: { type: "universal", from, to: [now] },
  };
}

function among<Value>(values: readonly Value[]): { readonly negated: boolean; readonly objects: readonly Named<Value>[] } {
  return { negated: false, objects: [{ id: "flows that NAT translates", name: "", values, members: [], unknowns: [] }] };
}

/** What both versions make of flows, and what differs. */
function judged(before: Policy, after: Policy, flows: Flows): { readonly found: readonly ReachRow[]; readonly byRules: Judged } {
  const outside = [
    ...(flows.source === "any" ? [] : [left("source", { source: { ...flows.source, negated: true } })]),
    ...(flows.destination === "any" ? [] : [left("destination", { destination: { ...flows.destination, negated: true } })]),
    ...(flows.services === "any"
      ? []
      : [left("service", { traffic: [{ applications: "any", services: { ...flows.services, negated: true } }] })]),
  ];
  const question = {
    ...ANY,
    zones: flows.zones,
    source: flows.source,
    destination: flows.destination,
    traffic: [{ applications: "any" as const, services: flows.services }],
  };
  const model = compile(
    [before, after].map((policy) => ({ ...policy, rules: [...outside, ...policy.rules] })),
    [question],
  );
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const answers = reach(model, other, model.questions[0] ?? []);
  const certain = new Set(
    answers.filter(({ conditions, undecided }) => conditions.length === 0 && !undecided).map(({ verdict }) => verdict),
  );
  const isOpen = answers.some(({ conditions, undecided }) => conditions.length > 0 || undecided);
  const byRules = !certain.has("allow")
    ? isOpen && answers.some(({ verdict }) => verdict === "allow")
      ? "may be allowed"
      : "denied"
    : answers.every(({ verdict }) => verdict === "allow")
      ? "allowed"
      : "partly allowed";
  return { found: differenceOf(model, one, other).rows.map((row) => rowWords(row, model)), byRules };
}

const ANY = {
  zones: { type: "universal", from: "any", to: "any" },
  source: "any",
  destination: "any",
  users: "any",
  conditions: [],
} as const;

/** What is no part of what is asked, in both versions. */
function left(name: string, flows: Partial<Rule>): Rule {
  const traffic = [{ applications: "any", services: "any" }] as const;
  return {
    ...ANY,
    traffic,
    key: { level: "default", group: ELSEWHERE, name },
    origin: {},
    verdict: ELSEWHERE,
    action: ELSEWHERE,
    ...flows,
  };
}

const conditional = (then: Judged): Judged => (then === "denied" ? then : "may be allowed");

function together(verdicts: readonly Judged[]): Judged | undefined {
  const [first, ...others] = new Set(verdicts);
  if (first === undefined || others.length === 0) return first;
  return verdicts.includes("allowed") || verdicts.includes("partly allowed") ? "partly allowed" : "may be allowed";
}

function common(some: readonly AddressRange[], others: readonly AddressRange[]): readonly AddressRange[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const [first, last] = [one.first > other.first ? one.first : other.first, one.last < other.last ? one.last : other.last];
      return first <= last ? [{ first, last }] : [];
    }),
  );
}
