import { partitionPoint } from "../../core/partition-point.js";
import { ipv6Text } from "../../core/tree/canonical-network.js";
import type { AddressRange, Match, Named, Rule } from "../flows/policy.js";

const ALL = 1n << 128n;
const IPV4 = 1n << 32n;

/** An object or a group with all that it holds. */
interface Called {
  readonly object: Named<AddressRange>;
  readonly name: string;
  readonly ranges: readonly AddressRange[];
  readonly size: bigint;
  /** Its place among all, the largest first. */
  readonly place: number;
}

/** Objects and groups by which ranges can be called. */
export class AddressNames {
  /** By their first address. */
  readonly #called: readonly Called[];
  readonly #fallback: AddressNames | undefined;

  /**
   * @param rules The rules whose objects give the names.
   * @param ambiguous Names with different addresses. Such an object is listed by its members or its ranges.
   * @param fallback More names, shared by many rows.
   */
  constructor(rules: readonly Pick<Rule, "source" | "destination">[], ambiguous: { has(name: string): boolean }, fallback?: AddressNames) {
    const matches = rules.flatMap(({ source, destination }) => [source, destination]);
    const objects = new Set(matches.flatMap((match: Match<AddressRange>) => (match === "any" ? [] : match.objects)));
    for (const { members } of objects) for (const member of members) objects.add(member);
    const called = [...objects].flatMap((object): Omit<Called, "place">[] => {
      const ranges = addressesOf(object) ?? [];
      // The text of a single range contains the range itself.
      if (ranges.length === 0 || (ranges.length > 1 && ambiguous.has(object.name))) return [];
      return [{ object, name: wordOf(object, ranges), ranges, size: sizeOf(ranges) }];
    });
    const bySize = called.sort(largestFirst).map((each, place) => ({ ...each, place }));
    this.#called = bySize.sort((a, b) => compared(firstOf(a), firstOf(b)));
    this.#fallback = fallback;
  }

  /** Describes addresses by as few names as possible, and the rest by ranges. */
  words(ranges: readonly AddressRange[]): string {
    const rest = complement(ranges);
    if (rest.length === 0) return "any";
    const isMost = ranges.length > 1 && rest.length < ranges.length;
    return isMost ? `any but ${this.#list(rest)}` : this.#list(ranges);
  }

  #list(ranges: readonly AddressRange[]): string {
    const names: string[] = [];
    const left = [...united(ranges)];
    for (const object of this.#within(left)) {
      if (left.length === 0) break;
      if (!object.ranges.every((range) => isInside(left, range))) continue;
      names.push(object.name);
      for (const range of object.ranges) remove(left, range);
    }
    return [...names, ...left.map(rangeText)].join(", ");
  }

  /** Objects that may be inside ranges, the largest first. */
  #within(ranges: readonly AddressRange[]): readonly Called[] {
    const own = this.#beginningIn(ranges);
    // Thousands of places are sorted faster than thousands of sizes.
    if (this.#fallback === undefined) return own.sort((a, b) => a.place - b.place);
    const found = new Map<Named<AddressRange>, Called>();
    for (const each of [...own, ...this.#fallback.#beginningIn(ranges)]) if (!found.has(each.object)) found.set(each.object, each);
    return [...found.values()].sort(largestFirst);
  }

  #beginningIn(ranges: readonly AddressRange[]): Called[] {
    return ranges.flatMap(({ first, last }) => {
      const found: Called[] = [];
      const start = partitionPoint(this.#called.length, (at) => firstOf(this.#called[at] as Called) < first);
      for (let at = start; at < this.#called.length; at++) {
        const each = this.#called[at] as Called;
        if (firstOf(each) > last) break;
        found.push(each);
      }
      return found;
    });
  }
}

function largestFirst(a: Omit<Called, "place">, b: Omit<Called, "place">): number {
  return compared(b.size, a.size) || compared(firstOf(a), firstOf(b));
}

function firstOf({ ranges: [range] }: Pick<Called, "ranges">): bigint {
  return range?.first ?? 0n;
}

const compared = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function wordOf({ name }: Named<AddressRange>, ranges: readonly AddressRange[]): string {
  const [only] = ranges;
  const text = ranges.length === 1 && only !== undefined ? rangeText(only) : undefined;
  return text === undefined || text === name ? name : `${name} (${text})`;
}

/** Returns the addresses of an object and its members, sorted and merged; undefined if some of them are not known. */
export function addressesOf(object: Named<AddressRange>): readonly AddressRange[] | undefined {
  return isKnown(object) ? united(allOf(object)) : undefined;
}

function isKnown({ unknowns, members }: Named<AddressRange>): boolean {
  return unknowns.length === 0 && members.every(isKnown);
}

function allOf({ values, members }: Named<AddressRange>): readonly AddressRange[] {
  return [...values, ...members.flatMap(allOf)];
}

function sizeOf(ranges: readonly AddressRange[]): bigint {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
}

/** Sorts and merges ranges. */
export function united(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const sorted = [...ranges].sort((a, b) => compared(a.first, b.first));
  const found: AddressRange[] = [];
  for (const range of sorted) {
    const before = found.at(-1);
    if (before === undefined || range.first > before.last + 1n) found.push(range);
    else if (range.last > before.last) found[found.length - 1] = { first: before.first, last: range.last };
  }
  return found;
}

function complement(ranges: readonly AddressRange[]): readonly AddressRange[] {
  return without([{ first: 0n, last: ALL - 1n }], united(ranges));
}

/** Ranges without others. */
export function without(ranges: readonly AddressRange[], taken: readonly AddressRange[]): readonly AddressRange[] {
  const removed = united(taken);
  return ranges.flatMap(({ first, last }) => {
    const parts: AddressRange[] = [];
    let start = first;
    for (let at = placeOf(removed, first); at < removed.length; at++) {
      const next = removed[at] as AddressRange;
      if (next.first > last) break;
      if (next.first > start) parts.push({ first: start, last: next.first - 1n });
      start = next.last + 1n;
    }
    if (start <= last) parts.push({ first: start, last });
    return parts;
  });
}

/** Place of the first of some sorted ranges that ends at an address or later. */
function placeOf(sorted: readonly AddressRange[], address: bigint): number {
  return partitionPoint(sorted.length, (at) => (sorted[at] as AddressRange).last < address);
}

function isInside(sorted: readonly AddressRange[], { first, last }: AddressRange): boolean {
  const range = sorted[placeOf(sorted, first)];
  return range !== undefined && range.first <= first && last <= range.last;
}

/** Removes a range from sorted ranges, one of which contains it. */
function remove(sorted: AddressRange[], range: AddressRange): void {
  const at = placeOf(sorted, range.first);
  sorted.splice(at, 1, ...without(sorted.slice(at, at + 1), [range]));
}

/** Formats a host, a network or a range. IPv4 if all addresses are in `::/96`. */
export function rangeText({ first, last }: AddressRange): string {
  if (first === 0n && last === IPV4 - 1n) return "0.0.0.0/0";
  if (first === IPV4 && last === ALL - 1n) return "IPv6";
  const four = last < IPV4;
  const text = four ? ipv4Text : ipv6Text;
  if (first === last) return text(first);
  const length = prefixLength({ first, last }, four ? 32 : 128);
  return length === undefined ? `${text(first)}-${text(last)}` : `${text(first)}/${length}`;
}

function prefixLength({ first, last }: AddressRange, width: number): number | undefined {
  const size = last - first + 1n;
  const host = size.toString(2).length - 1;
  return 1n << BigInt(host) === size && first % size === 0n ? width - host : undefined;
}

/** Returns an address as text; numbers below 2^32 are IPv4. */
export function addressText(value: bigint): string {
  return value < IPV4 ? ipv4Text(value) : ipv6Text(value);
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
}
