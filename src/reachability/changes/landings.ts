import { editText } from "../../outcome/edit.js";
import { listed } from "../../outcome/shorten-list.js";
import { compile, type Model } from "../flows/compile.js";
import { type Difference, differenceOf } from "../flows/difference.js";
import { type AddressRange, ANY_FLOW, type AnyOf, type FlowSet, type Match, type Named, type Policy, type Rule } from "../flows/policy.js";
import type { Region } from "../flows/region.js";
import type { Row } from "../flows/rows.js";
import { without } from "../format/format-addresses.js";
import type { Change, Landing, LandingStage } from "../policy-role.js";
import { editOf } from "./format-edit.js";

/** Limits: regions times rules to consider, and rules to evaluate. */
const MOST_PAIRS = 2_000_000;
const MOST_QUESTIONS = 100_000;
const BOUNDS = { steps: 10_000_000, wholes: false };

/** Flows that NAT or routes send otherwise than before. */
interface Redirected {
  readonly region: Region;
  readonly was: Landing;
  readonly now: Landing;
  /** The edit that causes the change. */
  readonly cause: string;
  /** NAT rules that they meet, before or after. */
  readonly rules: readonly string[];
}

/** Flows with another destination, or a newly reachable or unreachable one, after security rules. */
export interface LandingRow {
  readonly row: Row;
  readonly cause: string;
  /** Undefined: nowhere, or rules stop them. */
  readonly was: Landing | undefined;
  readonly now: Landing | undefined;
}

export interface LandingChanges {
  readonly rows: readonly LandingRow[];
  readonly model: Model | undefined;
  /** NAT rules that any of them meets. */
  readonly rules: readonly string[];
  /** Flows with an unknown destination before or after. */
  readonly unclear: readonly (Redirected & { readonly why: string })[];
  /** Parts that were not calculated, one sentence each. */
  readonly undecided: readonly string[];
}

/**
 * Flows whose destination changes with NAT or routes. Flows that security rules deny before and after are not included. `rules`: the
 * security policies of both versions.
 */
export function landingChanges(stage: LandingStage, rules: readonly [Policy, Policy]): LandingChanges {
  const model = compile(stage.policies);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other, BOUNDS);
  const undecided = givenUp(difference, "NAT and routes");
  const redirected = difference.rows.flatMap((row) => redirectedBy(row, stage));
  const unclear = redirected.flatMap((each) => {
    const open = [each.was, each.now].find(({ ends }) => ends === "unknown");
    return open === undefined ? [] : [{ ...each, why: open.why }];
  });
  const known = redirected.filter(({ was, now }) => was.ends !== "unknown" && now.ends !== "unknown");
  const answer = { unclear, rules: [...new Set(redirected.flatMap((each) => each.rules))] };
  const count = known.length * (rules[0].rules.length + rules[1].rules.length);
  const questions = count > MOST_PAIRS ? undefined : questionRules(known, stage, rules);
  if (questions === undefined) {
    const names = listed([...new Set(known.map(({ cause }) => cause))], 3);
    return {
      ...answer,
      rows: [],
      model: undefined,
      undecided: [...undecided, `The destinations of flows after the change (${names}) were not computed: there are too many sets.`],
    };
  }
  return { ...answer, ...judged(known, questions, undecided, stage) };
}

function givenUp({ undecided, coarse, rows }: Difference, what: string): string[] {
  const open = rows.some(({ extent }) => extent.kind === "holes");
  const up = undecided.length > 0 || open ? [`The effect of ${what} on some flows was not computed: there are too many cases.`] : [];
  return coarse.length === 0
    ? up
    : [...up, `Too many unknown names decide the effect of ${what}. Some conditions of rows may be unnecessary.`];
}

function redirectedBy(row: Row, stage: LandingStage): Redirected[] {
  const [was, now] = [row.before, row.after].map(({ verdict }) => stage.landings.get(verdict));
  if (was === undefined || now === undefined || row.extent.kind === "holes") return [];
  const names = [
    ...new Set([...row.before.rules, ...row.after.rules].filter(({ key }) => key.level !== "routes").map(({ key }) => natRuleOf(key.name))),
  ];
  return row.extent
    .regions()
    .flatMap((region) => differing(region, was, now))
    .map((region) => ({ region, was, now, cause: causeOf(row, names, stage), rules: names }));
}

const natRuleOf = (name: string): string => name.replace(/ \(the way back\)$/, "");

function causeOf({ cause }: Row, names: readonly string[], stage: LandingStage): string {
  if (cause.kind === "objects") return editText(editOf(cause));
  const own = natRuleOf(cause.rule.key.name);
  const edits = [own, ...names].flatMap((name) => stage.edited.get(name) ?? []);
  return edits[0] ?? (cause.change === "moved" ? `NAT rule ${own}: moved` : "interfaces, routes or zones: changed");
}

/** A region without flows of which both landings make the same, in other words. */
function differing(region: Region, was: Landing, now: Landing): Region[] {
  if (was.zone !== now.zone || was.ends !== now.ends || was.ends === "unknown") return [region];
  const source = alike(region.source, was.source, now.source);
  const destination = alike(region.destination, was.destination, now.destination);
  const services =
    was.port === now.port
      ? region.services
      : atPort(region.services, was.port ?? now.port, was.port === undefined || now.port === undefined);
  if (source.length === 0 || destination.length === 0 || services.length === 0) return [region];
  const left = [
    { ...region, services: withoutPorts(region.services, services), unrestricted: but(region, "service") },
    { ...region, services, source: without(region.source, source), unrestricted: but(region, "service", "source") },
    {
      ...region,
      services,
      source,
      destination: without(region.destination, destination),
      unrestricted: but(region, "service", "source", "destination"),
    },
  ];
  return left.filter((each) => each.services.length > 0 && each.source.length > 0 && each.destination.length > 0);
}

const but = ({ unrestricted }: Region, ...axes: readonly ("service" | "source" | "destination")[]): Region["unrestricted"] =>
  new Set([...unrestricted].filter((axis) => !(axes as readonly string[]).includes(axis)));

/** Addresses that two changes make the same of. */
function alike(ranges: readonly AddressRange[], one: Change, other: Change): readonly AddressRange[] {
  if ("by" in one && "by" in other) return one.by === other.by ? ranges : [];
  if (!("by" in one) && !("by" in other)) return sameRanges(one, other) ? ranges : [];
  const [moved, fixed] = "by" in one ? [one.by, other] : "by" in other ? [other.by, one] : [0n, one];
  const [only, ...more] = "by" in fixed ? [] : fixed.ranges;
  if (only === undefined || more.length > 0 || only.first !== only.last || ("unknowns" in fixed && fixed.unknowns.length > 0)) return [];
  const address = only.first - moved;
  return ranges.some(({ first, last }) => first <= address && address <= last) ? [{ first: address, last: address }] : [];
}

function sameRanges(one: Change, other: Change): boolean {
  if ("by" in one || "by" in other) return false;
  const key = ({ ranges, unknowns }: typeof one) =>
    [...ranges.map(({ first, last }) => `${first}-${last}`), ...unknowns.map((each) => `${each.kind} ${each.definition}`)].join();
  return key(one) === key(other);
}

/** The services at a port, if one landing translates to that port and the other keeps the original port. */
function atPort(services: Region["services"], port: number | undefined, isLeft: boolean): Region["services"] {
  if (!isLeft || port === undefined) return [];
  return services.filter(({ first, last }) => first <= port && port <= last).map((range) => ({ ...range, first: port, last: port }));
}

function withoutPorts(services: Region["services"], taken: Region["services"]): Region["services"] {
  return services.flatMap((range) =>
    taken
      .filter(({ protocol }) => protocol === range.protocol)
      .reduce<Region["services"]>(
        (left, { first, last }) =>
          left.flatMap((each) => [
            ...(each.first < first ? [{ ...each, last: Math.min(each.last, first - 1) }] : []),
            ...(last < each.last ? [{ ...each, first: Math.max(each.first, last + 1) }] : []),
          ]),
        [range],
      ),
  );
}

/** For each region a zone of its own to which its flows go: rules of both versions that decide them, by the zone that they see. */
function questionRules(
  known: readonly Redirected[],
  stage: LandingStage,
  rules: readonly [Policy, Policy],
): readonly [Policy, Policy] | undefined {
  let left = MOST_QUESTIONS;
  const verdicts = new Map([...stage.landings].map(([verdict, landing]) => [landing, verdict]));
  const policies = rules.map((policy, version): Policy => {
    const own = known.flatMap((each, at): Rule[] => {
      const found = left < 0 ? [] : rulesFor(each, version === 0 ? each.was : each.now, `${at}`, policy, verdicts);
      left -= found.length;
      return found;
    });
    return { ...policy, zones: [], otherZones: false, rules: own, otherwise: OUTSIDE, limits: [] };
  });
  const [before, after] = policies;
  return left < 0 || before === undefined || after === undefined ? undefined : [before, after];
}

/** Verdicts of flows outside the question, and of flows that do not reach a destination. */
const OUTSIDE = "outside";
const STOPPED = "stopped";

function rulesFor({ region }: Redirected, landing: Landing, to: string, policy: Policy, verdicts: ReadonlyMap<Landing, string>): Rule[] {
  const from = [...new Set(region.zones.flatMap((product) => product.from))];
  const zones = (own: readonly string[]) => ({ type: "universal", from: own, to: [to] }) as const;
  const reached = landing.ends === "nowhere" ? STOPPED : (verdicts.get(landing) ?? "");
  const outside = outsideOf(region).map((flows, at): Rule => ({ ...flows, ...made(`${at}`, to, OUTSIDE), zones: zones(from) }));
  const { zone } = landing;
  if (zone === undefined) return [...outside, { ...ANY_FLOW, ...made("no zone", to, reached), zones: zones(from) }];
  const questions = policy.rules.flatMap((rule): Rule[] => {
    const own = from.filter((each) => isAbout(rule, each, zone));
    if (own.length === 0 || !meets(rule.destination, region.destination) || !meets(rule.source, region.source)) return [];
    const verdict = rule.verdict === "allow" ? reached : STOPPED;
    return [{ ...rule, key: { ...rule.key, group: `${to} ${rule.key.group}` }, zones: zones(own), verdict, treatment: undefined }];
  });
  return [...outside, ...questions];
}

function made(name: string, to: string, verdict: string): Pick<Rule, "key" | "origin" | "verdict" | "action"> {
  return { key: { level: OUTSIDE, group: to, name }, origin: {}, verdict, action: "" };
}

/** The complement of a region, except for zones. */
function outsideOf({ source, destination, services, sourcePorts, unrestricted, conditions }: Region): Omit<FlowSet, "zones">[] {
  const ranges = services.map((range) => (unrestricted.has("sourcePort") ? range : { ...range, sourcePorts }));
  const isAnyService = unrestricted.has("service") && unrestricted.has("sourcePort");
  const unmet: AnyOf = conditions.map(({ subject, unknown, holds }) => ({ subject, unknown, holds: !holds }));
  return [
    ...(unrestricted.has("source") ? [] : [{ ...ANY_FLOW, source: allBut(source) }]),
    ...(unrestricted.has("destination") ? [] : [{ ...ANY_FLOW, destination: allBut(destination) }]),
    ...(isAnyService ? [] : [{ ...ANY_FLOW, traffic: [{ applications: "any" as const, services: allBut(ranges) }] }]),
    ...(unmet.length === 0 ? [] : [{ ...ANY_FLOW, conditions: [unmet] }]),
  ];
}

function allBut<Value>(values: readonly Value[]): Match<Value> {
  return { negated: true, objects: [{ id: "", name: "", values, members: [], unknowns: [] }] };
}

function isAbout({ zones: { type, from, to } }: Rule, source: string, target: string): boolean {
  if (from !== "any" && !from.includes(source)) return false;
  if (type === "intrazone") return source === target;
  return !(type === "interzone" && source === target) && (to === "any" || to.includes(target));
}

/** Whether a rule may match one of some addresses. */
function meets(match: Match<AddressRange>, ranges: readonly AddressRange[]): boolean {
  const holdsOne = ({ values, members, unknowns }: Named<AddressRange>): boolean =>
    unknowns.length > 0 ||
    values.some(({ first, last }) => ranges.some((range) => first <= range.last && range.first <= last)) ||
    members.some(holdsOne);
  return match === "any" || match.negated || match.objects.some(holdsOne);
}

function judged(
  known: readonly Redirected[],
  policies: readonly [Policy, Policy],
  undecided: readonly string[],
  { landings }: LandingStage,
): Pick<LandingChanges, "rows" | "model" | "undecided"> {
  const model = compile(policies);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other, BOUNDS);
  const rows = difference.rows.map((row): LandingRow => {
    const [was, now] = [row.before, row.after].map(({ verdict }) => landings.get(verdict));
    return { row, was, now, cause: known[placeOf(row)]?.cause ?? "" };
  });
  return { rows, model, undecided: [...undecided, ...givenUp(difference, "rules")] };
}

/** Returns the index of the region that a row belongs to, from the group of its rules. */
function placeOf({ before, after }: Row): number {
  const [group = ""] = [...before.rules, ...after.rules].map(({ key }) => key.group);
  return Number(group.split(" ")[0]);
}
