import { groupBy } from "../../core/group-by.js";
import type { DecidingRules, Edit, EditSummary, FlowWords, ReachRow, ScopeInsight, SummaryRow } from "../../outcome/insight.js";
import type { Model } from "../flows/compile.js";
import { Conjunctions } from "../flows/conjunctions.js";
import type { AddressRange, Rule } from "../flows/policy.js";
import { type Region, regionOf, type StatedLiteral } from "../flows/region.js";
import type { Row } from "../flows/rows.js";
import { AXES, type Box, PLACE } from "../flows/space.js";
import { unite } from "../flows/unite.js";
import type { AmbiguousNames } from "../format/ambiguous-names.js";
import { exampleFlow } from "../format/example-flow.js";
import { AddressNames } from "../format/format-addresses.js";
import { fewest, formatFlows, type TextOptions } from "../format/format-flow.js";

/** Maximum number of exact sets that get a row each. */
const MOST_APART = 2;
/** Maximum number of different conditions of one edit before their rows are merged. */
const MOST_CONDITIONS = 2;
const MOST_RULES = 20;
/** Zones that are probably outside, by their name. */
const OUTSIDE = /untrust|internet|outside|external|extern|public|wan|anywhere|guest/i;

/** A row of the analysis with its texts. */
export interface Summarized {
  readonly row: Row;
  readonly edit: Edit;
  readonly texts: Pick<ReachRow, "change" | "was" | "now" | "reaches" | "conditions">;
  /** Zone after NAT, which replaces the zone of the flow. */
  readonly to?: string | undefined;
  /** Names for the addresses, in addition to those of the rules of the row. */
  readonly called?: AddressNames | undefined;
}

/** Row with the numbers that determine its position. */
export interface Ranked {
  readonly edit: Edit;
  readonly row: SummaryRow;
  readonly exposure: readonly number[];
}

/** Returns the short form of all rows of one model. */
export function summarize(all: readonly Summarized[], model: Model, options: TextOptions, ambiguous: AmbiguousNames): Ranked[] {
  const groups = groupBy(all, ({ edit, to, texts: { change, reaches, conditions } }) =>
    JSON.stringify([edit, to, change, reaches, conditions.length === 0]),
  );
  return [...groups.values()].flatMap((group) => {
    const byConditions = [...groupBy(group, ({ texts }) => JSON.stringify([...texts.conditions].sort())).values()];
    const apart = byConditions.length > MOST_CONDITIONS ? [group] : byConditions;
    return apart.flatMap((each) => rowsOf(each, model, options, ambiguous));
  });
}

/** Groups rows by edit. The largest exposure comes first. */
export function editSummaries(rows: readonly Ranked[]): EditSummary[] {
  const sorted = [...rows].sort((a, b) => compareExposure(a.exposure, b.exposure));
  return [...groupBy(sorted, ({ edit }) => JSON.stringify(edit)).values()].map((group) => ({
    edit: (group[0] as Ranked).edit,
    rows: group.map(({ row }) => row),
  }));
}

/** Returns the unknowns in conditions, by kind. */
export function dependenciesOf(rows: readonly Row[]): ScopeInsight["dependsOn"] {
  const literals: readonly StatedLiteral[] = rows.flatMap(({ conditions }) => conditions.flat());
  const byKind = groupBy(literals, ({ unknown }) => unknown.kind);
  return [...byKind].map(([kind, those]) => ({ kind, names: [...new Set(those.map(({ unknown }) => unknown.name))].sort() }));
}

function compareExposure(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function rowsOf(group: readonly Summarized[], model: Model, options: TextOptions, ambiguous: AmbiguousNames): Ranked[] {
  const exact = group.flatMap(({ row: { extent } }) => (extent.kind === "boxes" ? extent.boxes : []));
  const wholes = group.flatMap(({ row: { extent } }) => (extent.kind === "holes" ? extent.wholes : []));
  const boxes = unite(model.space, exact);
  const flows = unite(model.space, [...new Set(boxes.map(flowsOnly))]);
  const isPaired = new Set([...groupBy(boxes, (box) => box[PLACE.condition]).values()].map((same) => flowKey(same))).size > 1;
  const regions = flows.map((box) => regionOf(model, box));
  const parts = wholes.length > 0 ? 0 : isPaired ? boxes.length : regions.reduce((sum, region) => sum + productsOf(region), 0);
  const examples = [...boxes.map((box) => regionOf(model, box)), ...wholes.map(({ example }) => example)];
  const differs = isPaired || wholes.length > 0;
  const make = (region: Region, count: number, example: Region) =>
    rankedRow({ group, region, parts: count, example, differs }, options, ambiguous);
  if (parts > 0 && parts <= MOST_APART && !isPaired)
    return regions.flatMap((region) => apartByZones(region).map((each) => make(each, 1, each)));
  const hull = hullOf(model, [...flows, ...wholes.map(({ box }) => box)]);
  return [make(hull, parts, bestExample(examples))];
}

const flowsOnly = (box: Box): Box => box.with(PLACE.condition, Conjunctions.TRUE);
const flowKey = (boxes: readonly Box[]): string =>
  boxes
    .map((box) => flowsOnly(box).join())
    .sort()
    .join(";");

/** Returns the smallest product that contains all boxes. */
function hullOf({ space, coordinates }: Model, boxes: readonly Box[]): Region {
  const box = AXES.reduce<Box>(
    (all, axis) => all.with(PLACE[axis], space.axis(axis).union(boxes.map((each) => each[PLACE[axis]] as number))),
    space.everything,
  );
  const region = regionOf({ space, coordinates } as Model, box);
  const union = (side: "from" | "to") => {
    const held = new Set(region.zones.flatMap((product) => product[side]));
    return coordinates.zones.filter((zone) => held.has(zone));
  };
  return region.unrestricted.has("zones") ? region : { ...region, zones: [{ from: union("from"), to: union("to") }] };
}

/** Shape of the pairs of zones that a region has: one product, each zone to itself, or all pairs of different zones. */
type ZoneShape = "product" | "same zone" | "other zones" | "mixed";

function shapeOf({ zones, unrestricted }: Region): ZoneShape {
  if (unrestricted.has("zones") || zones.length === 1) return "product";
  if (zones.every(({ from, to }) => from.length === 1 && from.join() === to.join())) return "same zone";
  const targets = [...new Set(zones.flatMap(({ to }) => to))];
  const isAllButItself = (from: string, to: readonly string[]) => targets.every((zone) => to.includes(zone) !== (zone === from));
  return zones.every(({ from, to }) => from.every((zone) => isAllButItself(zone, to))) ? "other zones" : "mixed";
}

const productsOf = (region: Region): number => (shapeOf(region) === "mixed" ? region.zones.length : 1);

function apartByZones(region: Region): Region[] {
  return shapeOf(region) === "mixed" ? region.zones.map((product) => ({ ...region, zones: [product] })) : [region];
}

/** Prefers a flow of a named application. */
function bestExample(regions: readonly Region[]): Region {
  const [first] = regions;
  if (first === undefined) throw new Error("A row has a flow.");
  return regions.find(({ applications, unrestricted }) => unrestricted.has("application") || applications.length > 1) ?? first;
}

interface RowParts {
  readonly group: readonly Summarized[];
  readonly region: Region;
  readonly parts: number;
  readonly example: Region;
  /** Flows of the row may have different conditions. */
  readonly differs: boolean;
}

function rankedRow({ group, region, parts, example, differs }: RowParts, options: TextOptions, ambiguous: AmbiguousNames): Ranked {
  const [{ edit, texts, to, called }] = group as readonly [Summarized];
  const rules = group.flatMap((each) => [
    ...each.row.before.rules,
    ...each.row.after.rules,
    ...(called === undefined ? causeRules(each.row) : []),
  ]);
  const names = new AddressNames(rules, ambiguous, called);
  const flow = { ...zonesText(region, formatFlows(region, options, names), options), ...(to === undefined ? {} : { to }) };
  const { sets: _, ...words } = flow;
  const one = exampleFlow(example);
  const conditions = [...new Set(group.flatMap((each) => each.texts.conditions))];
  return {
    edit,
    row: {
      change: texts.change,
      flow: words,
      addresses: { source: sizeText(region.source), destination: sizeText(region.destination) },
      parts,
      conditions,
      ...(differs && conditions.length > 1 ? { conditionsDiffer: true as const } : {}),
      was: mergedRules(group.map((each) => each.texts.was)),
      now: mergedRules(group.map((each) => each.texts.now)),
      ...(texts.reaches === undefined ? {} : { reaches: texts.reaches }),
      example: to === undefined ? one : { ...one, to },
    },
    exposure: exposureOf(texts.change, region),
  };
}

function causeRules({ cause }: Row): readonly Rule[] {
  return cause.kind === "rule" ? [cause.rule] : [];
}

/** Merges the products of zones into one text. */
function zonesText(region: Region, flows: readonly FlowWords[], { coordinates: { zones: all } }: TextOptions): FlowWords {
  const [first] = flows as readonly [FlowWords];
  if (flows.length === 1) return first;
  const union = (side: "from" | "to") => {
    const held = new Set(region.zones.flatMap((product) => product[side]));
    return fewest(
      all.filter((zone) => held.has(zone)),
      all,
    );
  };
  if (shapeOf(region) === "same zone") return { ...first, from: union("from"), to: "the same zone" };
  return { ...first, from: union("from"), to: `${union("to")} except the same zone` };
}

function mergedRules(all: readonly DecidingRules[]): DecidingRules {
  const [first] = all as readonly [DecidingRules];
  const rules = [...new Map(all.flatMap((each) => each.rules).map((rule) => [JSON.stringify(rule), rule])).values()];
  const more = Math.max(...all.map((each) => each.more)) + Math.max(0, rules.length - MOST_RULES);
  return { verdict: first.verdict, rules: rules.slice(0, MOST_RULES), more };
}

const sizeOf = (ranges: readonly AddressRange[]): bigint => ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
const sizeText = (ranges: readonly AddressRange[]): string => sizeOf(ranges).toString();

const ORDER = { opened: 0, redirected: 1, closed: 2 };

/** Sorts openings first, then flows from outside, with any service, and with many addresses. */
function exposureOf(change: SummaryRow["change"], { zones, unrestricted, source, destination }: Region): number[] {
  const isOutside = unrestricted.has("zones") || zones.some(({ from }) => from.some((zone) => OUTSIDE.test(zone)));
  const bits = (ranges: readonly AddressRange[]) => sizeOf(ranges).toString(2).length;
  return [ORDER[change], isOutside ? 0 : 1, unrestricted.has("service") ? 0 : 1, -bits(source) - bits(destination)];
}
