import { partitionPoint } from "../../../core/partition-point.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import type { Walk } from "./forwarding-paths.js";
import { hostAt } from "./host.js";

/** All addresses of IPv4, and of the common number space. */
const IPV4: AddressRange = { first: 0n, last: (1n << 32n) - 1n };
const ALL: AddressRange = { first: 0n, last: (1n << 128n) - 1n };

/** Maximum number of routes multiplied by parts of the address space. */
const MOST_COMPARED = 20_000_000;

/** Result of a lookup: a zone, or the reason why there is none. */
export interface Hop {
  readonly interface: string | undefined;
  readonly zone: string | undefined;
  /** The traffic is certainly dropped, or has no route. */
  readonly stops: boolean;
  readonly why: string;
}

/** Result for ranges of addresses that a router handles equally. */
export interface Course {
  /** Several hops if the router may choose any of them. */
  readonly hops: readonly Hop[];
  /** Whether it is an address of the firewall itself. */
  readonly isOwn: boolean;
  readonly key: string;
}

/** Destinations of all addresses on one router, according to the configuration. */
export class Forwarding {
  /** Monitored routes that are assumed to be up. */
  readonly monitored = new Set<string>();
  readonly #starts: readonly bigint[];
  readonly #courses: readonly Course[];
  readonly #split = new Map<readonly AddressRange[], ReadonlyMap<Course, readonly AddressRange[]>>();

  /** Throws `RangeError` if there are too many routes. */
  constructor(walk: Walk, router: string) {
    const routes = walk.routes.routers.flatMap((each) => each.routes);
    const cuts = new Set([ALL.first, IPV4.last + 1n]);
    for (const { range, own = range.first } of routes) for (const start of [range.first, range.last + 1n, own, own + 1n]) cuts.add(start);
    cuts.delete(ALL.last + 1n);
    if (cuts.size * routes.length > MOST_COMPARED) throw new RangeError(`${router} has more routes than are compared`);
    const known = new Map<string, Course>();
    const [starts, courses]: [bigint[], Course[]] = [[], []];
    for (const start of [...cuts].sort((a, b) => (a < b ? -1 : 1))) {
      const made = this.#courseAt(walk, router, start);
      const course = known.get(made.key) ?? made;
      known.set(course.key, course);
      if (courses.at(-1) === course && start !== IPV4.last + 1n) continue;
      starts.push(start);
      courses.push(course);
    }
    this.#starts = starts;
    this.#courses = courses;
  }

  /** Splits ranges by their course. `ranges` must not overlap. */
  split(ranges: readonly AddressRange[]): ReadonlyMap<Course, readonly AddressRange[]> {
    const known = this.#split.get(ranges);
    if (known !== undefined) return known;
    const found = new Map<Course, AddressRange[]>();
    for (const range of ranges)
      for (let at = this.#placeOf(range.first); at < this.#starts.length && (this.#starts[at] as bigint) <= range.last; at++) {
        const [start, end] = [this.#starts[at] as bigint, (this.#starts[at + 1] ?? ALL.last + 1n) - 1n];
        const part = { first: start > range.first ? start : range.first, last: end < range.last ? end : range.last };
        const course = this.#courses[at] as Course;
        const parts = found.get(course);
        if (parts === undefined) found.set(course, [part]);
        else parts.push(part);
      }
    this.#split.set(ranges, found);
    return found;
  }

  /** Describes the complete forwarding as text. */
  toString(): string {
    return this.#starts.map((start, at) => `${start} ${this.#courses[at]?.key}`).join("\n");
  }

  #placeOf(address: bigint): number {
    return partitionPoint(this.#starts.length, (at) => (this.#starts[at] as bigint) <= address) - 1;
  }

  #courseAt({ routes, zones, system }: Walk, router: string, address: bigint): Course {
    const host = hostAt(address);
    const hops = routes.lookUp(host, router).map((exit): Hop => {
      for (const each of exit.conditions) if (each.startsWith("the monitored route")) this.monitored.add(each);
      const zone = zones.get(exit.interface ?? "");
      const isNowhere = exit.stops === true && routes.otherRouters.length === 0;
      const why =
        zone !== undefined || isNowhere
          ? ""
          : exit.interface === undefined
            ? `the next hop of routes of ${router} is not known`
            : `${exit.interface} is in no zone of ${system.scope}`;
      return { interface: exit.interface, zone, stops: isNowhere || exit.drops === true, why };
    });
    const unique = [...new Map(hops.map((hop) => [JSON.stringify(hop), hop])).values()];
    const isOwn = routes.ownerOf(host) !== undefined;
    return { hops: unique, isOwn, key: JSON.stringify([isOwn, unique]) };
  }
}

/** All IPv4 addresses. A constant, so that it is split only once. */
export const ANY_IPV4: readonly AddressRange[] = [IPV4];
export const ANY_ADDRESS: readonly AddressRange[] = [ALL];
