import { groupBy } from "../../core/group-by.js";
import type { DecidingRules, ReachRow, ScopeInsight } from "../../outcome/insight.js";
import { listed } from "../../outcome/shorten-list.js";
import type { AddressRange, Policy } from "../flows/policy.js";
import { AmbiguousNames } from "../format/ambiguous-names.js";
import { AddressNames } from "../format/format-addresses.js";
import { formatConditions, pairedFlows, type TextOptions } from "../format/format-flow.js";
import { withDistinctNames } from "../format/rule-names.js";
import type { Change, Landing, LandingStage } from "../policy-role.js";
import { insightBetween, openedFirst } from "./format-difference.js";
import { formatDecidingRules } from "./format-row.js";
import { type LandingChanges, type LandingRow, landingChanges } from "./landings.js";
import { type Ranked, type Summarized, summarize } from "./summary.js";

/** Maximum number of listed flows per row, and of listed causes of unknown results. */
const FLOWS = 20_000;
const UNCLEAR = 6;
/** Number of rows of one cause with different deciding rules before they are merged, and number of rules that a merged row names. */
const MOST_APART = 8;
const RULES = 20;

/** Changes of reachability between two versions of a rulebase, including NAT and routes. */
export function insightWithLandings(stage: LandingStage, [before, after]: readonly [Policy, Policy]): ScopeInsight {
  const withoutAnswered = (policy: Policy): Policy => ({
    ...policy,
    limits: policy.limits.filter(({ text }) => !stage.answered.has(text)),
  });
  const rules = withDistinctNames([withoutAnswered(before), withoutAnswered(after)] as const);
  const changes = landingChanges(stage, rules);
  const landings = rowsOf(changes, stage, rules);
  const answer = insightBetween(...rules, { summaries: landings.summaries, rows: changes.rows.map(({ row }) => row) });
  const undecided = [...changes.undecided, ...unclearWords(changes)];
  return {
    ...answer,
    exact: answer.exact && undecided.length + stage.doubts.length === 0,
    rows: [...answer.rows, ...landings.rows].sort(openedFirst),
    undecided: [...answer.undecided, ...undecided],
    doubts: [...new Set([...answer.doubts, ...stage.doubts])],
  };
}

function unclearWords({ unclear }: LandingChanges): string[] {
  const texts = new Set(
    unclear.map(({ cause, why }) => `The destinations of some flows are unknown, because they depend on: ${cause} (${why}).`),
  );
  const more = texts.size - UNCLEAR;
  return [...[...texts].slice(0, UNCLEAR), ...(more > 0 ? [`${more} more causes are not shown.`] : [])];
}

interface Landings {
  readonly rows: readonly ReachRow[];
  readonly summaries: readonly Ranked[];
}

function rowsOf({ rows, model, rules }: LandingChanges, stage: LandingStage, versions: readonly [Policy, Policy]): Landings {
  if (model === undefined) return { rows: [], summaries: [] };
  const objects = rules.flatMap((rule) => stage.objects.get(rule) ?? []);
  const named = { source: { negated: false, objects }, destination: "any" } as const;
  const ambiguous = new AmbiguousNames([named, ...versions.flatMap((policy) => policy.rules)]);
  const called = new AddressNames([named], ambiguous);
  const [, { zones }] = versions;
  const coordinates = { zones, applications: model.coordinates.applications, knowsApplications: model.coordinates.knowsApplications };
  const texts = rows.map((each) => rowWords(each, { called, ambiguous }, { coordinates }));
  const summarized = rows.map((each, at) => summarizedRow(each, texts[at] as ReachRow, { called, ambiguous }));
  const summaries = summarize(summarized, model, { coordinates }, ambiguous);
  // Merges equal effects of one cause, and rows that differ only in the deciding rules if there are many.
  const alike = groupBy(texts, ({ flows: _, more: __, was: ___, now: ____, ...rest }) => JSON.stringify(rest));
  const merged = [...alike.values()].flatMap((group) => {
    const apart = [...groupBy(group, ({ was, now }) => JSON.stringify([was, now])).values()];
    return apart.length > MOST_APART ? [together(group)] : apart.map(together);
  });
  return { rows: merged, summaries };
}

function summarizedRow(each: LandingRow, texts: ReachRow, { called, ambiguous }: Naming): Summarized {
  const { row, cause, was, now } = each;
  const names = new AddressNames([...row.before.rules, ...row.after.rules], ambiguous, called);
  const short = { ...texts, reaches: reachesOf(each, names, listed) };
  return { row, edit: { subject: cause, where: {}, changes: [] }, texts: short, to: destinationZone(was, now), called };
}

function together(group: readonly ReachRow[]): ReachRow {
  const [first] = group as [ReachRow];
  const flows = [...new Map(group.flatMap((each) => each.flows).map((flow) => [JSON.stringify(flow), flow])).values()];
  const more = group.reduce((sum, each) => sum + each.more, Math.max(0, flows.length - FLOWS));
  const rules = (side: "was" | "now"): DecidingRules => {
    const all = [...new Map(group.flatMap((each) => each[side].rules).map((rule) => [rule.name, rule])).values()];
    return { ...first[side], rules: all.slice(0, RULES), more: Math.max(first[side].more, all.length - RULES) };
  };
  return { ...first, was: rules("was"), now: rules("now"), flows: flows.slice(0, FLOWS), more };
}

interface Naming {
  /** Names of the objects that NAT rules name. */
  readonly called: AddressNames;
  readonly ambiguous: AmbiguousNames;
}

function rowWords(each: LandingRow, { called, ambiguous }: Naming, options: TextOptions): ReachRow {
  const { row, cause, was, now } = each;
  const names = new AddressNames([...row.before.rules, ...row.after.rules], ambiguous, called);
  const regions = row.extent.kind === "boxes" ? row.extent.regions() : row.extent.wholes.map(({ within }) => within);
  const to = destinationZone(was, now);
  const zone = (now ?? was)?.zone;
  const flows = pairedFlows(regions.slice(0, FLOWS), options, names).map((flow) => ({
    ...flow,
    to,
    ...(flow.sets && { sets: { ...flow.sets, to: zone === undefined ? [] : [zone] } }),
  }));
  return {
    change: was === undefined ? "opened" : now === undefined ? "closed" : "redirected",
    cause,
    was: formatDecidingRules({ ...row.before, verdict: was === undefined ? "nowhere" : "allow", rules: securityRules(row.before) }),
    now: formatDecidingRules({ ...row.after, verdict: now === undefined ? "nowhere" : "allow", rules: securityRules(row.after) }),
    reaches: reachesOf(each, names, COMPLETE),
    conditions: row.conditions.map(formatConditions),
    flows,
    more: Math.max(0, regions.length - FLOWS),
    ...(row.extent.kind === "boxes" ? {} : { except: "not all of these: they are too finely cut to be told" }),
  };
}

function destinationZone(was: Landing | undefined, now: Landing | undefined): string {
  const moved = was !== undefined && now !== undefined && was.zone !== now.zone;
  return moved ? `${zoneWords(now)}, was ${zoneWords(was)}` : zoneWords(now ?? was);
}

const securityRules = ({ rules }: LandingRow["row"]["before"]) => rules.filter(({ key }) => key.level !== "outside");

const zoneWords = (landing: Landing | undefined): string => landing?.zone ?? "the firewall itself";

/** Joins names: all of them for JSON, the first ones for a text. */
type Join = (items: readonly string[]) => string;
const COMPLETE: Join = (items) => items.join(", ");

/** "web-02 (10.1.0.12) port 8443 in dmz, from 203.0.113.1". */
function placeWords(landing: Landing, original: readonly AddressRange[], names: AddressNames, join: Join): string {
  const { zone, destination, source, port } = landing;
  const sender = () => ("by" in source ? "an address of its own" : becomeWords(source, names, join));
  const from = "by" in source && source.by === 0n ? "" : `, from ${sender()}`;
  const at = port === undefined ? "" : ` port ${port}`;
  return `${hostWords(destination, original, names, join)}${at}${zone === undefined ? " at the firewall itself" : ` in ${zone}`}${from}`;
}

function hostWords(change: Change, original: readonly AddressRange[], names: AddressNames, join: Join): string {
  if (!("by" in change)) return becomeWords(change, names, join);
  if (change.by === 0n) return "its destination";
  return join(names.words(original.map(({ first, last }) => ({ first: first + change.by, last: last + change.by }))).split(", "));
}

function becomeWords({ ranges, unknowns }: Exclude<Change, { readonly by: bigint }>, names: AddressNames, join: Join): string {
  const [only, ...more] = ranges;
  const words = [...(ranges.length === 0 ? [] : [join(names.words(ranges).split(", "))]), ...new Set(unknowns.map(({ name }) => name))];
  const isOne = only === undefined || (more.length === 0 && only.first === only.last);
  return `${isOne && words.length < 2 ? "" : "one of "}${join(words)}`;
}

/** Returns both landings of a row. */
function reachesOf({ row, was, now }: LandingRow, names: AddressNames, join: Join): NonNullable<ReachRow["reaches"]> {
  const regions = row.extent.kind === "boxes" ? row.extent.regions() : row.extent.wholes.map(({ within }) => within);
  const destination = regions.flatMap((region) => region.destination);
  return { ...(was && { was: placeWords(was, destination, names, join) }), ...(now && { now: placeWords(now, destination, names, join) }) };
}
