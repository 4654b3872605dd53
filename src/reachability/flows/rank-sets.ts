/** Truth tables of the operations: bit 1 is "only in a", bit 2 "only in b", bit 3 "in both". */
const AND = 0b1000;
const OR = 0b1110;
const MINUS = 0b0010;
/** Ids are below this limit, so that two of them fit into one number. */
const PAIR = 2 ** 26;
/** Maximum number of cached results of one operation. The cache is then cleared. */
const MEMORY = 1_000_000;

/**
 * Subsets of the ranks 0 to `size`-1 of one axis, as small numbers. Equal sets have equal ids, so that sets are compared and combined by
 * id, and each combination is computed once.
 */
export class RankSets {
  /** Id of the empty set. */
  static readonly NONE = 0;
  /** Id of the complete axis. */
  static readonly ALL = 1;

  readonly size: number;
  /** By id: boundaries in ascending order, alternating between start and end. */
  readonly #bounds: Int32Array[] = [];
  readonly #counts: (number | undefined)[] = [];
  /** Newest id for each hash. `#sameHash` contains the previous id with the same hash. */
  readonly #byHash = new Map<number, number>();
  readonly #sameHash: (number | undefined)[] = [];
  readonly #memory = new Map<number, Map<number, number>>([AND, OR, MINUS].map((operation) => [operation, new Map()]));

  constructor(size: number) {
    this.size = size;
    // If an axis has no ranks, the full set is empty but keeps its own id.
    for (const bounds of [new Int32Array(0), Int32Array.of(0, size)]) this.#add(bounds, hash(bounds));
  }

  /** Returns the set of ranges `[from, to)`. They may be unsorted and overlap. */
  of(ranges: readonly (readonly [from: number, to: number])[]): number {
    if (ranges.length === 1) {
      const [[from, to]] = ranges as [readonly [number, number]];
      return from < to ? this.#intern(Int32Array.of(from, to)) : RankSets.NONE;
    }
    const packed = new Float64Array(ranges.length);
    for (let at = 0; at < ranges.length; at++) {
      const [from, to] = ranges[at] as readonly [number, number];
      packed[at] = from * (this.size + 1) + to;
    }
    return this.#merged(packed);
  }

  /** Returns the union of all sets in one step, because a union of two sets at a time would copy the intermediate results. */
  union(sets: readonly number[]): number {
    if (sets.length < 2) return sets[0] ?? RankSets.NONE;
    const packed = new Float64Array(sets.reduce((sum, set) => sum + this.bounds(set).length / 2, 0));
    let used = 0;
    for (const set of sets) {
      const bounds = this.bounds(set);
      for (let i = 0; i < bounds.length; i += 2) packed[used++] = (bounds[i] as number) * (this.size + 1) + (bounds[i + 1] as number);
    }
    return this.#merged(packed);
  }

  /** Returns the set of packed ranges. Each range is one number: its start times (size + 1), plus its end. */
  #merged(packed: Float64Array): number {
    if (packed.length > 1) packed.sort();
    const bounds = new Int32Array(2 * packed.length);
    let used = 0;
    for (const each of packed) {
      const from = Math.floor(each / (this.size + 1));
      const to = each - from * (this.size + 1);
      if (from >= to) continue;
      if (used > 0 && from <= (bounds[used - 1] as number)) bounds[used - 1] = Math.max(bounds[used - 1] as number, to);
      else {
        bounds[used++] = from;
        bounds[used++] = to;
      }
    }
    return this.#intern(used === bounds.length ? bounds : bounds.slice(0, used));
  }

  and(a: number, b: number): number {
    if (a === b || b === RankSets.ALL) return a;
    if (a === RankSets.ALL) return b;
    if (a === RankSets.NONE || b === RankSets.NONE) return RankSets.NONE;
    return a < b ? this.#combine(a, b, AND) : this.#combine(b, a, AND);
  }

  or(a: number, b: number): number {
    if (a === b || b === RankSets.NONE) return a;
    if (a === RankSets.NONE) return b;
    if (a === RankSets.ALL || b === RankSets.ALL) return RankSets.ALL;
    return a < b ? this.#combine(a, b, OR) : this.#combine(b, a, OR);
  }

  /** Returns `a` minus `b`. */
  minus(a: number, b: number): number {
    if (a === b || b === RankSets.ALL) return RankSets.NONE;
    if (a === RankSets.NONE || b === RankSets.NONE) return a;
    return this.#combine(a, b, MINUS);
  }

  /** Returns whether both sets have a common rank. */
  meets(a: number, b: number): boolean {
    if (a === RankSets.NONE || b === RankSets.NONE) return false;
    if (a === b || a === RankSets.ALL || b === RankSets.ALL) return true;
    const [small, large] = this.#bySize(a, b);
    if ((small.at(-1) as number) <= (large[0] as number) || (large.at(-1) as number) <= (small[0] as number)) return false;
    for (let i = 0, j = 0; i < small.length; i += 2) {
      j = after(large, small[i] as number, j);
      // An odd place is inside a range, which started earlier and has not ended.
      if (j % 2 === 1) return true;
      if (j < large.length && (large[j] as number) < (small[i + 1] as number)) return true;
    }
    return false;
  }

  /** Returns whether `a` is a subset of `b`. */
  within(a: number, b: number): boolean {
    if (a === b || a === RankSets.NONE || b === RankSets.ALL) return true;
    if (b === RankSets.NONE || a === RankSets.ALL) return false;
    const [inner, outer] = [this.bounds(a), this.bounds(b)];
    for (let i = 0, j = 0; i < inner.length; i += 2) {
      j = after(outer, inner[i] as number, j);
      if (j % 2 === 0 || (outer[j] as number) < (inner[i + 1] as number)) return false;
    }
    return true;
  }

  has(set: number, rank: number): boolean {
    if (set === RankSets.ALL) return true;
    return after(this.bounds(set), rank, 0) % 2 === 1;
  }

  /** Returns the number of ranks in a set. */
  count(set: number): number {
    const known = this.#counts[set];
    if (known !== undefined) return known;
    let counted = 0;
    for (const [at, bound] of this.bounds(set).entries()) counted += at % 2 === 0 ? -bound : bound;
    this.#counts[set] = counted;
    return counted;
  }

  /** Returns the n-th rank of a set, starting at 0. */
  nth(set: number, n: number): number {
    let left = n;
    const bounds = this.bounds(set);
    for (let i = 0; i < bounds.length; i += 2) {
      const [from, to] = [bounds[i] as number, bounds[i + 1] as number];
      if (left < to - from) return from + left;
      left -= to - from;
    }
    throw new RangeError(`rank ${n} of a smaller set`);
  }

  ranges(set: number): readonly (readonly [from: number, to: number])[] {
    const bounds = this.bounds(set);
    return Array.from({ length: bounds.length / 2 }, (_, at) => [bounds[2 * at] as number, bounds[2 * at + 1] as number]);
  }

  /** Returns boundaries in ascending order, alternating between start and end. Callers must not modify the array. */
  bounds(set: number): Int32Array {
    return this.#bounds[set] as Int32Array;
  }

  #bySize(a: number, b: number): readonly [Int32Array, Int32Array] {
    const [first, second] = [this.bounds(a), this.bounds(b)];
    return first.length <= second.length ? [first, second] : [second, first];
  }

  #combine(a: number, b: number, operation: number): number {
    const memory = this.#memory.get(operation) as Map<number, number>;
    const key = a * PAIR + b;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const result = this.#intern(sweep(this.bounds(a), this.bounds(b), operation));
    if (memory.size >= MEMORY) memory.clear();
    memory.set(key, result);
    return result;
  }

  #intern(bounds: Int32Array): number {
    const key = hash(bounds);
    for (let id = this.#byHash.get(key); id !== undefined; id = this.#sameHash[id]) if (equal(this.bounds(id), bounds)) return id;
    return this.#add(bounds, key);
  }

  #add(bounds: Int32Array, key: number): number {
    const id = this.#bounds.push(bounds) - 1;
    this.#sameHash.push(this.#byHash.get(key));
    this.#byHash.set(key, id);
    return id;
  }
}

/** Returns the first place, starting at `low`, with a boundary above `rank`. */
function after(bounds: Int32Array, rank: number, low: number): number {
  let [from, to] = [low, bounds.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((bounds[middle] as number) <= rank) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Walks through both sets from left to right. For AND and MINUS it skips ranges of `b` below `a`, and stops after the last range of `a`.
 */
function sweep(a: Int32Array, b: Int32Array, operation: number): Int32Array {
  const result: number[] = [];
  const beyond = operation === OR ? Number.POSITIVE_INFINITY : (a.at(-1) as number);
  let i = operation === AND ? after(a, b[0] as number, 0) & ~1 : 0;
  let j = operation === OR ? 0 : after(b, a[0] as number, 0) & ~1;
  let inside = false;
  while (i < a.length || j < b.length) {
    const at = Math.min(
      i < a.length ? (a[i] as number) : Number.POSITIVE_INFINITY,
      j < b.length ? (b[j] as number) : Number.POSITIVE_INFINITY,
    );
    if (at > beyond) break;
    if (a[i] === at) i++;
    if (b[j] === at) j++;
    const keeps = ((operation >> ((i & 1) + 2 * (j & 1))) & 1) === 1;
    if (keeps !== inside) result.push(at);
    inside = keeps;
  }
  return Int32Array.from(result);
}

function hash(bounds: Int32Array): number {
  let value = bounds.length;
  for (const bound of bounds) value = Math.imul(value ^ bound, 0x9e3779b1) ^ (value >>> 15);
  return value;
}

function equal(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
