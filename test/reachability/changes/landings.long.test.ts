import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { type LandingChanges, landingChanges } from "../../../src/reachability/changes/landings.js";
import type { Region } from "../../../src/reachability/flows/region.js";
import type { Change, Landing } from "../../../src/reachability/policy-role.js";
import { rulebasesOf } from "../../../src/targets/panos/policy/policies.js";
import type { ReadingOptions } from "../../../src/targets/panos/policy/reading.js";
import { seedsOf, soak } from "../../seed.js";
import type { Facts } from "../../targets/panos/policy/brute.js";
import { type Arrival, BruteNat, MISTAKES, type Sent } from "../../targets/panos/policy/brute-nat.js";
import { type Asked, ask } from "../../targets/panos/policy/evaluate.js";
import { randomOf } from "../../targets/panos/policy/random.js";
import { editedNat, HOSTS, randomNat } from "../../targets/panos/policy/random-nat.js";

const ZONES = ["untrust", "trust", "dmz"];
const NOBODY_KNOWS: Facts = { addresses: {}, atHome: {}, holding: new Set() };

type Mistake = (typeof MISTAKES)[number];

interface From extends Sent {
  readonly from: string;
}

/** Every flow of these worlds, from every zone. */
const FLOWS: readonly From[] = ZONES.flatMap((from) =>
  [...HOSTS, "10.1.0.4"].flatMap((source) =>
    [...HOSTS, "10.1.0.4"]
      .filter((destination) => destination.includes(":") === source.includes(":"))
      .flatMap((destination) => [22, 443].map((port) => ({ from, source, destination, protocol: 6, port }))),
  ),
);

async function changesBetween(before: string, after: string, options: ReadingOptions = {}): Promise<LandingChanges> {
  const [rulebase] = rulebasesOf([parseXml(before), parseXml(after)], options);
  const [one, other] = rulebase?.policies() ?? [];
  const stage = await rulebase?.landings?.(true);
  if (one === undefined || other === undefined || stage === undefined || stage === "unread") throw new Error("two versions have routes");
  return landingChanges(stage, [one, other]);
}

const STOPPED = "stopped";
/** The interpreter gives up at more than sixteen addresses or at an undefined name. */
const OPEN = "open";

/** Landings of a flow in the interpreter, with or without rules, and whether all of them are known. */
function placesAt(
  brute: BruteNat,
  { from, ...sent }: From,
): { readonly known: boolean; readonly sent: ReadonlySet<string>; readonly let: ReadonlySet<string> } {
  const arrivals = brute.arrivalsFrom(from, sent);
  const place = (arrival: Arrival, isAsked: boolean): string => {
    const { to, ends, source, destination, port, allowed } = arrival;
    if (ends === "itself")
      return placeOf("itself", source === undefined ? [sent.source] : brute.sourcesOf(source), destination ?? "", port ?? sent.port);
    if (ends === "nobody knows where") return OPEN;
    if (ends !== undefined || (isAsked && allowed !== true)) return STOPPED;
    return placeOf(to ?? "", source === undefined ? [sent.source] : brute.sourcesOf(source), destination ?? "", port ?? sent.port);
  };
  return {
    known: arrivals.length === 1 && arrivals.every(({ ends }) => ends !== "nobody knows where" && ends !== "no zone"),
    sent: new Set(arrivals.map((each) => place(each, false))),
    let: new Set(arrivals.map((each) => place(each, true))),
  };
}

const placeOf = (zone: string, sources: readonly string[], destination: string, port: number): string =>
  [zone, sources.join("+"), destination, port].join(" ");

/** The same of a landing: each place that it may be. */
function placesOf(landing: Landing | undefined, { source, destination, port }: From): ReadonlySet<string> {
  if (landing === undefined || landing.ends === "nowhere") return new Set([STOPPED]);
  const sources = becomes(landing.source, source);
  return new Set(
    becomes(landing.destination, destination).map((each) => placeOf(landing.zone ?? "itself", sources, each, landing.port ?? port)),
  );
}

function becomes(change: Change, address: string): readonly string[] {
  if (address.includes(":")) return [address];
  if ("by" in change) return [addressAt(numberOf(address) + change.by)];
  return change.ranges
    .flatMap(({ first, last }) => Array.from({ length: Number(last - first) + 1 }, (_, n) => addressAt(first + BigInt(n))))
    .sort();
}

const numberOf = (address: string): bigint => address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const addressAt = (number: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join(".");

/** Whether a flow is in a region; routes that are alike are taken as one may wish. */
function isIn(region: Region, asked: Asked): boolean {
  const { from, port } = asked.flow;
  const spans = (ranges: Region["source"], value: bigint) => ranges.some(({ first, last }) => first <= value && value <= last);
  return (
    region.zones.some((product) => product.from.includes(from)) &&
    spans(region.source, asked.source) &&
    spans(region.destination, asked.destination) &&
    region.services.some(({ protocol, first, last }) => protocol === 6 && first <= port && port <= last) &&
    region.conditions.every(({ subject, unknown, holds }) => {
      if (unknown.kind === "route") return true;
      const value = subject === "source" ? asked.source : subject === "destination" ? asked.destination : undefined;
      return asked.holds(unknown, value) === holds;
    })
  );
}

/** Returns the errors in the statements about every flow of two versions, and the number of flows that differ. */
function mistakesOf({ rows, unclear, undecided }: LandingChanges, former: BruteNat, next: BruteNat, facts: Facts) {
  const told = rows.map(({ row, ...each }) => {
    if (row.extent.kind === "holes") throw new Error("small worlds are cut into boxes");
    return { ...each, regions: row.extent.regions() };
  });
  const found: string[] = [];
  const counts = { same: 0, differs: 0, stopped: 0, open: 0 };
  if (undecided.length > 0) found.push(...undecided);
  for (const flow of FLOWS) {
    const [was, now] = [placesAt(former, flow), placesAt(next, flow)];
    const asked = ask({ ...flow, to: "", sourcePort: 40_000, application: "any", user: "unknown" }, facts);
    const hits = told.filter(({ regions }) => regions.some((region) => isIn(region, asked)));
    const isOpen = unclear.some(({ region }) => isIn(region, asked));
    const say = (text: string) => found.push(`${text} ${JSON.stringify(flow)} was ${[...was.let]} now ${[...now.let]}`);
    const right = hits.filter((hit) => isRight(hit.was, was.let, flow) && isRight(hit.now, now.let, flow));
    if (right.length < hits.length) say("is in a wrong row");
    if (was.known && now.known) {
      if (isOpen) say("is said not to be known");
      const differs = !isEqual(was.sent, now.sent) && !isEqual(was.let, now.let);
      counts[differs ? "differs" : isEqual(was.sent, now.sent) ? "same" : "stopped"]++;
      if (hits.length !== (differs ? 1 : 0)) say(`is in ${hits.length} rows`);
    } else {
      counts.open++;
      if (
        !isEqual(was.let, now.let) &&
        !isEqual(was.sent, now.sent) &&
        hits.length === 0 &&
        !isOpen &&
        !was.let.has(OPEN) &&
        !now.let.has(OPEN)
      )
        say("is in no row, and is not said to be open");
    }
  }
  return { found, counts };
}

const isRight = (landing: Landing | undefined, places: ReadonlySet<string>, flow: From) =>
  places.has(OPEN) || isAmong(placesOf(landing, flow), places);
const isAmong = (some: ReadonlySet<string>, all: ReadonlySet<string>) => [...some].every((each) => all.has(each));
const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>) => isAmong(one, other) && isAmong(other, one);

const worldOf = (seed: number, unknowns: boolean): readonly [before: string, after: string] => {
  const random = randomOf(seed);
  const before = randomNat(random, seed % 5, unknowns);
  return [before, editedNat(random, before, unknowns)];
};
/** Pools in several zones, which change places. */
const FOUND_BY_MORE = [5034, 5054, 5098, 7002, 7012];
const seeds = [...seedsOf(soak ? 2000 : 20), ...FOUND_BY_MORE];

describe("destinations after a change of NAT or routes, compared with an independent interpreter", () => {
  it.each(seeds)("every flow of a small world is in exactly the expected row: seed %i", async (seed) => {
    const [before, after] = worldOf(seed, false);
    const changes = await changesBetween(before, after);
    const { found } = mistakesOf(changes, new BruteNat(before, NOBODY_KNOWS), new BruteNat(after, NOBODY_KNOWS), NOBODY_KNOWS);
    expect(found, `${before}\n${after}`).toEqual([]);
  });

  it.each(seeds)("the same with any content of unread names: seed %i", async (seed) => {
    const [before, after] = worldOf(seed, true);
    const changes = await changesBetween(before, after);
    for (const n of [1, 2, 3]) {
      const random = randomOf(seed * 10 + n);
      const some = () => HOSTS.filter(() => random() < 0.4);
      const facts = { ...NOBODY_KNOWS, addresses: { "partner.example.org": some(), nobody: some() } };
      const { found } = mistakesOf(changes, new BruteNat(before, facts), new BruteNat(after, facts), facts);
      expect(found, `${JSON.stringify(facts)}\n${before}\n${after}`).toEqual([]);
    }
  });
});

describe("another answer of the target for the return path", () => {
  it.each([
    [{ wayBackFrom: "its zones" }, "the way back is for its own zones alone"],
    [{ wayBackPlace: "behind all rules" }, "the way back stands behind all rules"],
  ] as const)("every flow stands in exactly the row that it says: %o", async (options, reading) => {
    for (const seed of seedsOf(8)) {
      const [before, after] = worldOf(seed, false);
      const changes = await changesBetween(before, after, options);
      const [former, next] = [before, after].map((text) => new BruteNat(text, NOBODY_KNOWS, reading));
      const { found } = mistakesOf(changes, former as BruteNat, next as BruteNat, NOBODY_KNOWS);
      expect(found, `${before}\n${after}`).toEqual([]);
    }
  });
});

describe("these worlds", async () => {
  // The same in every run: whether a misreading shows in worlds that are drawn is chance.
  const worlds = await Promise.all(
    Array.from({ length: 32 }, async (_, seed) => {
      const [before, after] = worldOf(seed, false);
      return { before, after, changes: await changesBetween(before, after) };
    }),
  );
  const mistakesIn = ({ before, after, changes }: (typeof worlds)[number], mistake?: Mistake) =>
    mistakesOf(changes, new BruteNat(before, NOBODY_KNOWS, mistake), new BruteNat(after, NOBODY_KNOWS, mistake), NOBODY_KNOWS);

  it("redirect many flows, and keep many", () => {
    const counts = worlds.map((world) => mistakesIn(world).counts);
    const sum = (name: "same" | "differs" | "stopped") => counts.reduce((total, each) => total + each[name], 0);
    expect([sum("differs") > 300, sum("stopped") > 300, sum("same") > 5000]).toEqual([true, true, true]);
  });

  it.each(MISTAKES)("detect a misreading that %s", (mistake) => {
    expect(worlds.some((world) => mistakesIn(world, mistake).found.length > 0)).toBe(true);
  });
});
