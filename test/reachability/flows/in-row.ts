import { OTHER_APPLICATION } from "../../../src/reachability/flows/coordinates.js";
import type { Policy, Rule } from "../../../src/reachability/flows/policy.js";
import type { Region } from "../../../src/reachability/flows/region.js";
import type { Row, WidePart } from "../../../src/reachability/flows/rows.js";
import { decider, type Flow, truth } from "./brute.js";
import type { Dice } from "./worlds.js";

/** Reads a region by its types without the engine. `named` are the applications that rules name. */
export function inRegion(region: Region, flow: Flow, named: ReadonlySet<string>): boolean {
  const spans = <Value>(list: readonly { readonly first: Value; readonly last: Value }[], value: Value): boolean =>
    list.some(({ first, last }) => first <= value && value <= last);
  return (
    region.zones.some(({ from, to }) => from.includes(flow.from) && to.includes(flow.to)) &&
    spans(region.source, flow.source) &&
    spans(region.destination, flow.destination) &&
    region.applications.includes(named.has(flow.application) ? flow.application : OTHER_APPLICATION) &&
    region.services.some(({ protocol, first, last }) => protocol === flow.protocol && first <= flow.port && flow.port <= last) &&
    spans(region.sourcePorts, flow.sourcePort) &&
    region.users.includes(flow.user) &&
    region.conditions.every(({ subject, unknown, holds }) => flow.holding.has(truth(subject, unknown)) === holds)
  );
}

/** A flow of a region. Conditions that it leaves open are as in `holding`. */
export function flowIn(region: Region, dice: Dice, holding: ReadonlySet<string>): Flow {
  const ends = <Value>(ranges: readonly { readonly first: Value; readonly last: Value }[]): Value => {
    const { first, last } = dice.one(ranges);
    return dice.one([first, last]);
  };
  const { from, to } = dice.one(region.zones);
  const { protocol, first, last } = dice.one(region.services);
  const asked = new Map(region.conditions.map(({ subject, unknown, holds }) => [truth(subject, unknown), holds]));
  const application = dice.one(region.applications);
  return {
    from: dice.one(from),
    to: dice.one(to),
    source: ends(region.source),
    destination: ends(region.destination),
    application: application === OTHER_APPLICATION ? "unheard-of" : application,
    protocol,
    port: first + dice.roll(last - first + 1),
    sourcePort: ends(region.sourcePorts),
    user: dice.one(region.users),
    holding: new Set([
      ...[...holding].filter((each) => asked.get(each) !== false),
      ...[...asked].flatMap(([each, holds]) => (holds ? each : [])),
    ]),
  };
}

/** Rows with precomputed regions, for many flows. */
export function rowReader(rows: readonly Row[], before: Policy, after: Policy): (flow: Flow) => readonly Row[] {
  const named = new Set([...applicationsOf(before), ...applicationsOf(after)]);
  const inOne = (regions: readonly Region[], flow: Flow): boolean => regions.some((region) => inRegion(region, flow, named));
  const read = rows.map(({ extent }) => {
    if (extent.kind === "boxes") {
      const regions = extent.regions();
      return (flow: Flow) => inOne(regions, flow);
    }
    const wholes = extent.wholes.map((whole) => ({ ...whole, before: keys(whole.before), after: keys(whole.after) }));
    return (flow: Flow) => {
      const [was, is] = [keyAt(before, flow), keyAt(after, flow)];
      const elsewhere = (whole: Pick<WidePart, "elsewhere">) =>
        whole.elsewhere.some(({ rule, regions }) => keyOf(rule) === was && inOne(regions, flow));
      return wholes.some(
        (whole) => whole.before.has(was) && whole.after.has(is) && inRegion(whole.within, flow, named) && !elsewhere(whole),
      );
    };
  });
  return (flow) => rows.filter((_, at) => read[at]?.(flow));
}

const keyOf = ({ key }: Rule): string => (key.level === "end" ? "no rule" : JSON.stringify(key));

function keyAt(policy: Policy, flow: Flow): string {
  const rule = policy.rules[decider(policy, flow)];
  return rule === undefined ? "no rule" : keyOf(rule);
}

const keys = (rules: readonly Rule[]): ReadonlySet<string> => new Set(rules.map(keyOf));

/** Names of applications that rules name. */
export function applicationsOf({ rules }: Policy): readonly string[] {
  const objects = new Set(
    rules.flatMap(({ traffic }) => traffic.flatMap(({ applications }) => (applications === "any" ? [] : applications.objects))),
  );
  for (const { members } of objects) for (const member of members) objects.add(member);
  return [...objects].flatMap(({ values }) => values);
}
