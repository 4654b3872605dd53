import { describe, expect, it } from "vitest";
import { OTHER_APPLICATION } from "../../../src/reachability/flows/coordinates.js";
import type { Region } from "../../../src/reachability/flows/region.js";
import { seedOf, soak } from "../../seed.js";
import { decider, type Flow, truth, verdictAt } from "./brute.js";
import { flowIn, rowReader } from "./in-row.js";
import { between, mistakes } from "./mistakes.js";
import { Dice, edited, largeWorld, randomFlow, randomPolicy, type World } from "./worlds.js";

/** 20,000 flows, uniform, around rules and inside rows, that are the same in every run; in a soak a million, and 50,000 at ten thousand rules. */
const SIZES = [
  { rules: 10, flows: soak ? 400_000 : 10_000 },
  { rules: 100, flows: soak ? 400_000 : 8000 },
  { rules: 1000, flows: soak ? 200_000 : 2000 },
  ...(soak ? [{ rules: 10_000, flows: 50_000 }] : []),
];

describe("random flows", () => {
  it.each(SIZES)("are in the expected row: $flows flows of $rules rules", ({ rules, flows }) => {
    const dice = new Dice(seedOf(rules));
    const world = largeWorld(dice, 2 * rules);
    const before = randomPolicy(world, dice, rules);
    const after = edited(world, dice, before, 12);
    const { rows, undecided } = between(before, after);
    const rowsWith = rowReader(rows, before, after);
    const changed = rows.flatMap((row) => [...row.before.rules, ...row.after.rules]);
    const regions = rows.map(({ extent }) => (extent.kind === "boxes" ? extent.regions() : extent.wholes.map(({ within }) => within)));
    let differing = 0;
    const wrong: unknown[] = [...undecided];
    for (let at = 0; at < flows && wrong.length < 5; at++) {
      const kind = dice.roll(4);
      const drawn = randomFlow(world, dice, kind === 0 ? undefined : dice.one(kind === 1 ? changed : after.rules));
      const flow = kind === 3 ? flowIn(dice.one(dice.one(regions)), dice, drawn.holding) : drawn;
      const [was, is] = [verdictAt(before, decider(before, flow)), verdictAt(after, decider(after, flow))];
      const found = rowsWith(flow).map((row) => `${row.before.verdict} ${row.after.verdict}`);
      if (was !== is) differing++;
      if (found.join() !== (was === is ? "" : `${was} ${is}`)) wrong.push({ flow, found, was, is });
    }
    expect(wrong).toEqual([]);
    expect(differing).toBeGreaterThan(flows / 10);
  });
});

/** Number of regions of one row whose corners are checked. All of them would be tens of thousands for a thousand rules. */
const MOST_REGIONS = soak ? 500 : 6;
/** If a region has more, this many are drawn. */
const MOST_CORNERS = soak ? 2000 : 300;

/** Both ends of each range of a region with all others at one of theirs, and from there one step beyond each axis. */
function cornersOf({ zones: everyZone }: World, region: Region): readonly Flow[] {
  const ends = <Value>(ranges: readonly { readonly first: Value; readonly last: Value }[]) =>
    ranges.flatMap(({ first, last }) => [first, last]);
  const sources = ends(region.source);
  const destinations = ends(region.destination);
  const sourcePorts = ends(region.sourcePorts);
  const services = region.services.flatMap(({ protocol, first, last }) => [first, last].map((port) => ({ protocol, port })));
  const pairs = region.zones.flatMap(({ from, to }) => from.flatMap((one) => to.map((other) => ({ from: one, to: other }))));
  const applications = region.applications.map((name) => (name === OTHER_APPLICATION ? "unheard-of" : name));
  const most = Math.max(...[sources, destinations, sourcePorts, services, pairs, applications, region.users].map((all) => all.length));
  const around = <Item>(all: readonly Item[], at: number): Item => all[at % all.length] as Item;
  const holding = new Set(region.conditions.filter(({ holds }) => holds).map(({ subject, unknown }) => truth(subject, unknown)));
  const corner = (at: number, turned: number): Flow => ({
    ...around(pairs, at),
    source: around(sources, at + (turned & 1)),
    destination: around(destinations, at + ((turned >> 1) & 1)),
    ...around(services, at + ((turned >> 2) & 1)),
    sourcePort: around(sourcePorts, at + ((turned >> 3) & 1)),
    application: around(applications, at),
    user: around(region.users, at),
    holding,
  });
  const corners = Array.from({ length: most }, (_, at) => Array.from({ length: 16 }, (_turn, turned) => corner(at, turned))).flat();
  const beyond = corners.flatMap((flow): readonly Flow[] => [
    ...[-1n, 1n].flatMap((step) => [
      { ...flow, source: flow.source + step },
      { ...flow, destination: flow.destination + step },
    ]),
    ...[-1, 1].flatMap((step) => [
      { ...flow, port: flow.port + step },
      { ...flow, sourcePort: flow.sourcePort + step },
    ]),
    ...everyZone.flatMap((zone) => [
      { ...flow, from: zone },
      { ...flow, to: zone },
    ]),
    { ...flow, application: "never-heard-of" },
    { ...flow, user: "pre-logon" },
    ...region.conditions.map(({ subject, unknown, holds }) => {
      const text = truth(subject, unknown);
      return { ...flow, holding: new Set(holds ? [...holding].filter((each) => each !== text) : [...holding, text]) };
    }),
  ]);
  const isThere = ({ source, destination, port, sourcePort }: Flow): boolean =>
    [source, destination].every((address) => address >= 0n && address < 2n ** 128n) &&
    [port, sourcePort].every((each) => each >= 0 && each <= 65_535);
  return [...corners, ...beyond].filter(isThere);
}

describe("the corners of every row, and the next value", () => {
  it.each([10, 100, ...(soak ? [1000] : [])])("are decided as expected: %i rules", (rules) => {
    const dice = new Dice(seedOf(40 + rules));
    const world = largeWorld(dice, 2 * rules);
    const before = randomPolicy(world, dice, rules);
    const after = edited(world, dice, before, 6);
    const difference = between(before, after);
    const flows = difference.rows.flatMap(({ extent }) => {
      const regions = extent.kind === "boxes" ? extent.regions() : extent.wholes.map(({ within }) => within);
      const step = Math.max(1, Math.ceil(regions.length / MOST_REGIONS));
      return regions
        .filter((_, at) => at % step === 0)
        .flatMap((region) => {
          const all = cornersOf(world, region);
          return all.length <= MOST_CORNERS ? all : Array.from({ length: MOST_CORNERS }, () => dice.one(all));
        });
    });
    expect(mistakes(before, after, difference, flows)).toEqual([]);
    expect(flows.length).toBeGreaterThan(1000);
  });
});
