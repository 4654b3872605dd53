import { listed, rangeText } from "../../../engine/insight/address-words.js";
import type { TranslationStage } from "../../../engine/policies.js";
import type { AddressRange, Verdict } from "../../../insight/policy.js";
import type { ZoneMove } from "../../../outcome/insight.js";
import { isDisabled, textOf } from "../security-rule.js";
import { hostAt } from "./host.js";
import { type Change, type Made, natStage, united } from "./nat-stage.js";
import { ASSUMED, type Interpretation } from "./reading.js";
import { rulesOf } from "./rules.js";
import type { Walk } from "./ways.js";

/** Ranges of routes or of translated addresses that are looked up one by one. */
const MOST_PARTS = 64;
/** Routes of a router, of both versions, beyond which nobody asks which addresses change their zone. */
const MOST_ROUTES = 2000;

type Walks = readonly [Walk | undefined, Walk | undefined];
type Original = Parameters<TranslationStage["leads"]>[2];
type Led = ReturnType<TranslationStage["leads"]>[number];

const OTHERWISE: { readonly [Name in "wayBack" | "wayBackTo"]: readonly [Interpretation[Name], Interpretation[Name]] } = {
  wayBack: ["behind its rule", "behind all rules"],
  wayBackTo: ["any zone", "zones of its rule"],
};

type ReadBy = (version: 0 | 1, reading: Partial<Interpretation>) => Walk | undefined;

/** NAT of two versions. `walk`: how a virtual system is read by an interpretation; `isMoved`: zones of interfaces or routes change. */
export function translationOf(walk: ReadBy, isMoved: boolean): TranslationStage {
  return new Stage(walk, {}, isMoved);
}

class Stage implements TranslationStage {
  readonly policies: TranslationStage["policies"];
  readonly knowsRoutes: boolean;
  readonly alternatives: TranslationStage["alternatives"];
  readonly #walks: Walks;
  readonly #made: ReadonlyMap<Verdict, Made>;

  readonly #isMoved: boolean;

  constructor(walk: ReadBy, reading: Partial<Interpretation>, isMoved: boolean) {
    this.#isMoved = isMoved;
    const walks = [walk(0, reading), walk(1, reading)] as const;
    this.#walks = walks;
    this.knowsRoutes = walks.some((each) => each?.routes.routers.some(({ routes }) => routes.length > 0));
    const { policies, made } = natStage(walks);
    this.policies = [policies[0], policies[1]];
    this.#made = made;
    const isAsked = Object.keys(reading).length === 0 && walks.some((each) => each !== undefined && worksBothWays(each));
    const assumed = { ...ASSUMED, ...(walks[1] ?? walks[0])?.reading.assumed };
    this.alternatives = !isAsked
      ? []
      : (["wayBack", "wayBackTo"] as const).map((name) => {
          const other = OTHERWISE[name].find((each) => each !== assumed[name]);
          const doubt = `What is translated hangs on where the way back of NAT rules that work both ways stands: it is taken for ${name === "wayBack" ? "one that stands" : "one to"} ${assumed[name]}, by the option ${name} [?].`;
          return { doubt, stage: () => new Stage(walk, { [name]: other }, isMoved) };
        });
  }

  words(verdict: Verdict, { source, destination }: Pick<Original, "source" | "destination">): string {
    const made = this.#made.get(verdict);
    if (made === undefined) return verdict;
    const becomes = (side: string, change: Change, ranges: readonly AddressRange[]) => {
      if (change.kind === "one of") return [`${side} becomes ${changeWords(change)}`];
      return change.by === 0n ? [] : [`${side} becomes ${listed(united(ranges.map((range) => shifted(range, change.by))).map(rangeText))}`];
    };
    const parts = [
      ...becomes("destination", made.destination, destination),
      ...(made.port === undefined ? [] : [`port becomes ${made.port}`]),
      ...becomes("source", made.source, source),
    ];
    return parts.length === 0 ? "not translated" : parts.join(", ");
  }

  leads(version: 0 | 1, verdict: Verdict, { from, to, destination }: Original): readonly Led[] {
    const change = this.#made.get(verdict)?.destination;
    const walk = this.#walks[version];
    if (walk === undefined || change === undefined)
      return [{ destination, zone: undefined, why: "the rulebase is not there", conditions: [] }];
    if (change.kind === "moved") {
      if (change.by !== 0n)
        return partsOf(
          walk,
          from,
          destination.map((range) => shifted(range, change.by)),
        ).map((part) => ({ ...part, destination: part.destination.map((range) => shifted(range, -change.by)) }));
      // Where it leads of itself is known of what has a route; pairs of zones that no flow has are left out.
      const [own, ...others] = partsOf(walk, from, destination);
      const isElsewhere = own?.zone !== undefined && others.length === 0 && own.conditions.length === 0 && own.zone !== to;
      return isElsewhere ? [] : [{ destination, zone: to, conditions: [] }];
    }
    const [unknown] = change.unknowns;
    if (unknown !== undefined) return [{ destination, zone: undefined, why: `${unknown.name}: ${unknown.reason}`, conditions: [] }];
    const parts = partsOf(walk, from, change.ranges);
    const [first, ...others] = parts;
    if (first === undefined) return [{ destination, zone: undefined, why: "it becomes no address", conditions: [] }];
    if (others.every(({ zone }) => zone !== undefined && zone === first.zone))
      return [{ ...first, destination, conditions: [...new Set(parts.flatMap(({ conditions }) => conditions))] }];
    return [{ destination, zone: undefined, why: `${changeWords(change)} are in several zones`, conditions: [] }];
  }

  get moves(): readonly ZoneMove[] {
    const [before, after] = this.#walks;
    if (before === undefined || after === undefined || !this.#isMoved) return [];
    const names = new Set([before, after].flatMap(({ routes }) => routes.routers.map(({ name }) => name)));
    return [...names].flatMap((router) => movesOf(router, before, after));
  }
}

function worksBothWays({ system }: Walk): boolean {
  const isBoth = (node: { readonly children: readonly unknown[] } & Parameters<typeof textOf>[0]): boolean =>
    textOf(node, "bi-directional") === "yes" || node.children.some(isBoth);
  return system.layers.some((layer) => rulesOf(layer, "nat").some((rule) => !isDisabled(rule) && isBoth(rule)));
}

function shifted({ first, last }: AddressRange, by: bigint): AddressRange {
  return { first: first + by, last: last + by };
}

function changeWords(change: Extract<Change, { readonly kind: "one of" }>): string {
  const unknowns = new Set(change.unknowns.map(({ name, kind }) => (kind === "address of an interface" ? name : `${name} (${kind})`)));
  const words = [...change.ranges.map(rangeText), ...unknowns];
  const [only, ...more] = change.ranges;
  const isOne = words.length === 1 && (only === undefined ? more.length === 0 : only.first === only.last);
  return words.length === 0 ? "no address" : `${isOne ? "" : "one of "}${listed(words)}`;
}

/** Parts of ranges by the zones that they are of, as the routers of a zone say. */
function partsOf(walk: Walk, from: string, ranges: readonly AddressRange[]): readonly Led[] {
  const routers = walk.routes.routers.filter(({ interfaces }) => interfaces.some((each) => walk.zones.get(each) === from));
  const unknown = (why: string): readonly Led[] => [{ destination: ranges, zone: undefined, why, conditions: [] }];
  if (routers.length === 0) return unknown(`no interface with routes is in zone ${from}`);
  const cuts = routers.flatMap(({ routes }) => routes.map(({ range }) => range));
  const parts = ranges.flatMap((range) => cutBy(range, cuts));
  if (parts.length > MOST_PARTS) return unknown("too many routes lead there");
  const found = parts.map((range): Led => ({ ...zoneAt(walk, routers, range.first), destination: [range] }));
  const byZone = new Map<string, Led>();
  for (const part of found) {
    const key = JSON.stringify([part.zone, part.why, part.conditions]);
    byZone.set(key, { ...part, destination: [...(byZone.get(key)?.destination ?? []), ...part.destination] });
  }
  return [...byZone.values()];
}

function zoneAt({ routes, zones }: Walk, routers: Walk["routes"]["routers"], address: bigint): Omit<Led, "destination"> {
  const exits = routers.flatMap(({ name }) => routes.lookUp(hostAt(address), name));
  const found = [...new Set(exits.map((exit) => zones.get(exit.interface ?? "")))];
  const [zone, ...others] = found;
  const [exit] = exits;
  if (zone === undefined || others.length > 0)
    return {
      zone: undefined,
      why: others.length > 0 ? "several routes lead there" : (exit?.ends ?? `${exit?.interface} is in no zone of it`),
      conditions: [],
    };
  return { zone, conditions: exits.length === 1 ? (exit?.conditions ?? []) : [...new Set(exits.flatMap(({ conditions }) => conditions))] };
}

/** A range in parts that each cut holds whole or not at all. */
function cutBy(range: AddressRange, cuts: readonly AddressRange[]): AddressRange[] {
  const starts = new Set([range.first]);
  for (const { first, last } of cuts)
    for (const start of [first, last + 1n]) if (range.first < start && start <= range.last) starts.add(start);
  const sorted = [...starts].sort((a, b) => (a < b ? -1 : 1));
  return sorted.map((first, at) => ({ first, last: (sorted[at + 1] ?? range.last + 1n) - 1n }));
}

/** Addresses of which a router says another zone than before. */
function movesOf(router: string, before: Walk, after: Walk): ZoneMove[] {
  const cuts = [before, after].flatMap(({ routes }) =>
    routes.routers.filter(({ name }) => name === router).flatMap((each) => each.routes.map(({ range }) => range)),
  );
  if (cuts.length === 0 || cuts.length > MOST_ROUTES) return [];
  const parts = cutBy({ first: 0n, last: (1n << 128n) - 1n }, [...cuts, { first: 0n, last: (1n << 32n) - 1n }]);
  const found = new Map<string, { readonly was: string; readonly now: string; readonly ranges: AddressRange[] }>();
  for (const range of parts) {
    const [was, now] = [doorAt(before, router, range.first), doorAt(after, router, range.first)];
    if (was.zone === now.zone) continue;
    const key = JSON.stringify([was.words, now.words]);
    const known = found.get(key) ?? { was: was.words, now: now.words, ranges: [] };
    known.ranges.push(range);
    found.set(key, known);
  }
  return [...found.values()].map(({ was, now, ranges }) => ({ addresses: listed(united(ranges).map(rangeText)), router, was, now }));
}

function doorAt({ routes, zones }: Walk, router: string, address: bigint): { readonly zone: string; readonly words: string } {
  const exits = routes.lookUp(hostAt(address), router);
  const doors = exits.map((exit) => {
    const zone = zones.get(exit.interface ?? "");
    return { zone: zone ?? "", words: zone === undefined ? "no zone" : `${zone} by ${exit.interface}` };
  });
  const both = (of: "zone" | "words") => [...new Set(doors.map((door) => door[of]))].join(" or ");
  return { zone: both("zone"), words: both("words") };
}
