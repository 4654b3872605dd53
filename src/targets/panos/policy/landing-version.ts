import { type AddressRange, ANY_FLOW, type AnyOf, type Policy, type Rule, type Verdict } from "../../../reachability/flows/policy.js";
import { united } from "../../../reachability/format/format-addresses.js";
import type { Change, Landing } from "../../../reachability/policy-role.js";
import { interfacesOf } from "./changes-outside-rules.js";
import { ANY_ADDRESS, type Course, Forwarding, type Hop } from "./forwarding.js";
import type { Walk } from "./forwarding-paths.js";
import { among, type Piece, piecesOf, STAYS } from "./nat-pieces.js";
import { zonesOf } from "./systems.js";

/** Maximum number of rule parts in one version. A NAT rule has one part for each route that its traffic may take. */
const MOST_RULES = 100_000;
const PLAIN = { isWayBack: false, source: STAYS, destination: STAYS, port: undefined } as const;

/** A router, and the zones of the flows that it receives. */
interface Door {
  readonly router: string;
  readonly zones: readonly string[];
  readonly forwarding: Forwarding;
}

/** One version: NAT rules, split by the routes of the original and of the translated destination. */
export class LandingVersion {
  readonly pieces: readonly Piece[];
  /** Routers with their source zones. */
  readonly routers = new Map<string, Door>();
  /** Zones whose traffic is not followed. */
  readonly left: readonly string[];
  readonly #landings: Map<Verdict, Landing>;

  /** Throws `RangeError` if there are too many parts. */
  constructor(
    readonly walk: Walk,
    landings: Map<Verdict, Landing>,
  ) {
    this.#landings = landings;
    this.pieces = piecesOf(walk);
    const byRouter = new Map<string, string[]>();
    const left: string[] = [];
    for (const [zone, interfaces] of interfacesOf(walk.system)) {
      const routers = walk.routes.routers.filter((router) => interfaces.some((each) => router.interfaces.includes(each)));
      const isComplete = interfaces.every((each) => routers.some((router) => router.interfaces.includes(each)));
      const [router] = routers;
      if (router === undefined || routers.length > 1 || !isComplete) {
        if (interfaces.length > 0) left.push(zone);
      } else byRouter.set(router.name, [...(byRouter.get(router.name) ?? []), zone]);
    }
    this.left = left;
    for (const [router, zones] of byRouter) this.routers.set(router, { router, zones, forwarding: new Forwarding(walk, router) });
  }

  policy(): Policy {
    const { system } = this.walk;
    const rules = [...this.routers.values()].flatMap((door) => this.#rulesOf(door));
    const left = this.left.length === 0 ? [] : [this.#unfollowed()];
    const otherwise = this.#verdictOf({ ...PLAIN, zone: undefined, ends: "nowhere", why: "" });
    const seen = new Map<string, number>();
    const unique = (rule: Rule): Rule => {
      const key = JSON.stringify(rule.key);
      const times = seen.get(key) ?? 0;
      seen.set(key, times + 1);
      return times === 0 ? rule : { ...rule, key: { ...rule.key, group: `${rule.key.group}\n${times}` } };
    };
    return {
      scope: system.scope,
      zones: zonesOf(system),
      otherZones: false,
      withoutApplications: true,
      rules: [...left, ...rules].map(unique),
      otherwise,
      limits: [],
    };
  }

  /** Equal if all traffic reaches the same zones by the same interfaces, and the same routes are monitored. */
  routesText(): string {
    const text = ({ zones, forwarding }: Door) => [zones.join(), ...forwarding.monitored, forwarding.toString()].join("\n");
    return [...this.routers.values()].map(text).join("\n\n");
  }

  #rulesOf(door: Door): Rule[] {
    const rules = this.#made(undefined, door, true);
    for (const piece of this.pieces) {
      const { from } = piece.zones;
      const zones = from === "any" ? door.zones : door.zones.filter((zone) => from.includes(zone));
      if (zones.length > 0) rules.push(...this.#made(piece, { ...door, zones }, false));
      if (rules.length > MOST_RULES) throw new RangeError(`NAT rules and routes have more than ${MOST_RULES} parts`);
    }
    return [...rules, ...this.#made(undefined, door, false)];
  }

  /** Returns the results of a piece, or of no NAT rule. `isEnd`: only traffic whose original destination has no zone. */
  #made(piece: Piece | undefined, { router, zones, forwarding }: Door, isEnd: boolean): Rule[] {
    const found = new Map<string, { readonly verdict: Verdict; readonly conditions: readonly AnyOf[]; ranges: AddressRange[] }>();
    for (const [course, ranges] of forwarding.split(piece?.to ?? ANY_ADDRESS))
      for (const [at, hop] of course.hops.entries()) {
        if (isEnd !== (hop.zone === undefined) || (piece !== undefined && !isMet(piece, hop))) continue;
        const end: Landed[] = [{ ranges, landing: endOf(hop), conditions: [] }];
        for (const part of isEnd ? end : landedBy(piece, { course, hop, ranges }, forwarding)) {
          const conditions = [...taken(course, at, "sent to"), ...part.conditions];
          const verdict = this.#verdictOf(part.landing, part.parts);
          const key = JSON.stringify([verdict, conditions]);
          const known = found.get(key) ?? { verdict, conditions, ranges: [] };
          known.ranges.push(...part.ranges);
          found.set(key, known);
        }
      }
    return [...found.values()].map(({ verdict, conditions, ranges }) => {
      const { rule, layer, origin, from = "any", service = "any" } = piece ?? {};
      const name = rule === undefined ? "routes" : `${rule.name}${piece?.isWayBack ? " (the way back)" : ""}`;
      const group = [layer?.group, router, isEnd, verdict, JSON.stringify([conditions, piece?.conditions])].join("\n");
      return {
        key: { level: layer?.level ?? "routes", group, name },
        origin: origin ?? {},
        zones: { type: "universal", from: zones, to: "any" },
        source: from,
        destination: among(united(ranges)),
        traffic: [{ applications: "any", services: service }],
        users: "any",
        conditions: [...(piece?.conditions ?? []), ...conditions],
        verdict,
        action: "",
      };
    });
  }

  #verdictOf(landing: Landing, parts = ""): Verdict {
    const { zone, ends, why, source, destination, port } = landing;
    const verdict =
      ends === "nowhere" ? NOWHERE : JSON.stringify([zone, ends, why, changeText(source), changeText(destination), port, parts]);
    this.#landings.set(verdict, landing);
    return verdict;
  }

  #unfollowed(): Rule {
    const verdict = this.#verdictOf({ ...PLAIN, zone: undefined, ends: "unknown", why: "the source zone is not followed" });
    return {
      key: { level: "routes", group: "", name: "routes" },
      origin: {},
      zones: { type: "universal", from: this.left, to: "any" },
      ...ANY_FLOW,
      verdict,
      action: "",
    };
  }
}

/** Returns where the traffic of one hop goes after translation. */
function landedBy(piece: Piece | undefined, { course, hop, ranges }: Sent, forwarding: Forwarding): Landed[] {
  const made = piece ?? PLAIN;
  const { source, destination, port } = made;
  const at = (now: Course, to: Hop): Landing => ({ ...endOf(to, now.isOwn), source, destination, port });
  if ("by" in destination) {
    const { by } = destination;
    if (by === 0n) return [{ ranges, landing: at(course, hop), conditions: [] }];
    const moved = forwarding.split(ranges.map(({ first, last }) => ({ first: first + by, last: last + by })));
    return [...moved].flatMap(([now, parts]) =>
      now.hops.map((to, n) => ({
        ranges: parts.map(({ first, last }) => ({ first: first - by, last: last - by })),
        landing: at(now, to),
        conditions: taken(now, n, BECOMES),
      })),
    );
  }
  const courses = [...forwarding.split(destination.ranges).keys()];
  const [only, ...more] = courses;
  const unknown = (why: string, parts = ""): Landed[] => [
    { ranges, landing: { zone: undefined, ends: "unknown", why, source, destination, port }, parts, conditions: [] },
  ];
  const [open] = destination.unknowns;
  if (open !== undefined) return unknown(`${open.name}: ${open.reason}`);
  if (only === undefined) return unknown("they become no address");
  if (more.length === 0) return only.hops.map((to, n) => ({ ranges, landing: at(only, to), conditions: taken(only, n, BECOMES) }));
  const [first, ...others] = courses.flatMap((each) => each.hops.map((to) => at(each, to)));
  const isOne = first?.zone !== undefined && others.every(({ zone, ends }) => zone === first.zone && ends === undefined);
  return isOne && first.ends === undefined
    ? [{ ranges, landing: first, conditions: [] }]
    : unknown("the addresses that they may become are not in one zone", partsText(forwarding.split(destination.ranges)));
}

/** Describes where each of several addresses is. */
function partsText(parts: ReadonlyMap<Course, readonly AddressRange[]>): string {
  return [...parts].map(([{ key }, ranges]) => `${key} ${ranges.map(({ first, last }) => `${first}-${last}`).join()}`).join("\n");
}

const BECOMES = "becomes";
const NOWHERE = "nowhere";

interface Sent {
  readonly course: Course;
  readonly hop: Hop;
  readonly ranges: readonly AddressRange[];
}

interface Landed {
  readonly ranges: readonly AddressRange[];
  readonly landing: Landing;
  /** Distinguishes unknown results with several destinations: equal text means equal destinations. */
  readonly parts?: string;
  readonly conditions: readonly AnyOf[];
}

function isMet({ zones: { to }, leaves }: Piece, hop: Hop): boolean {
  return (to === "any" || to.includes(hop.zone ?? "")) && (leaves === undefined || leaves === hop.interface);
}

function endOf({ zone, stops, why }: Hop, isOwn = false): Landing {
  const ends = zone === undefined ? (stops ? "nowhere" : "unknown") : isOwn ? "itself" : undefined;
  return { ...PLAIN, zone: ends === undefined ? zone : undefined, ends, why };
}

/** Condition that the device chooses this one of several equal routes: the first chosen one, or the last. */
function taken({ hops, key }: Course, at: number, role: string): readonly AnyOf[] {
  if (hops.length === 1) return [];
  const literal = (n: number, holds: boolean) => {
    const by = hops[n]?.interface ?? "none";
    const name = `${by} is taken of the routes that are alike${role === BECOMES ? " for what it becomes" : ""}`;
    return [{ unknown: { kind: "route", definition: JSON.stringify([role, key, n]), name, reason: "a device chooses" }, holds }];
  };
  const before = hops.slice(0, at).map((_, n) => literal(n, false));
  return at === hops.length - 1 ? before : [...before, literal(at, true)];
}

function changeText(change: Change): string {
  if ("by" in change) return `moved ${change.by}`;
  const unknowns = change.unknowns.map(({ kind, definition }) => JSON.stringify([kind, definition])).sort();
  return [...change.ranges.map(({ first, last }) => `${first}-${last}`), ...new Set(unknowns)].join();
}
