import { groupBy } from "../../core/group-by.js";
import type { CompiledRule } from "./compile.js";
import { Line } from "./coordinates.js";
import type { RankSets } from "./rank-sets.js";
import { type Axis, type Box, PLACE, type Space } from "./space.js";

/** Longer lists of pieces are also narrowed by their addresses. */
const LONG = 1000;
/** Number of sections of an axis, which are used to find sets that may overlap. */
const SECTIONS = 512;
/** If a set has more than one piece per this number of words, its bits are added word by word. */
const MANY = 4;
/** A set in more sections than this is checked every time. */
const WIDE = 16;
/** Maximum number of cached 32-bit words per axis. */
const MEMORY = 4_000_000;

/** One box of a rule, with the rule's position. */
export interface Piece {
  readonly at: number;
  readonly box: Box;
}

/** Finds rules that meet a box without checking each rule. */
export class RuleIndex {
  readonly #space: Space;
  readonly #pieces: readonly Piece[];
  readonly #zones: AxisIndex;
  readonly #service: AxisIndex;
  readonly #source: AxisIndex;
  readonly #destination: AxisIndex;

  constructor(space: Space, rules: readonly CompiledRule[]) {
    this.#space = space;
    this.#pieces = rules.flatMap(({ boxes }, at) => boxes.map((box) => ({ at, box })));
    const index = (axis: Axis) =>
      new AxisIndex(
        space.axis(axis),
        this.#pieces.map(({ box }) => box[PLACE[axis]] as number),
      );
    this.#zones = index("zones");
    this.#service = index("service");
    this.#source = index("source");
    this.#destination = index("destination");
  }

  /** Returns boxes of rules that meet `box`, from the top. Omits rules at the position `below` and later. */
  meeting(box: Box, below = Number.POSITIVE_INFINITY): readonly Piece[] {
    const few = both(this.#zones.meeting(box[PLACE.zones] as number), this.#service.meeting(box[PLACE.service] as number));
    const byDestination = (bits: Uint32Array) => both(bits, this.#destination.meeting(box[PLACE.destination] as number));
    const bySource = (bits: Uint32Array) => both(bits, this.#source.meeting(box[PLACE.source] as number));
    const found: Piece[] = [];
    for (const at of members(count(few) > LONG ? bySource(byDestination(few)) : few)) {
      const piece = this.#pieces[at] as Piece;
      if (piece.at >= below) break;
      if (this.#space.meets(box, piece.box)) found.push(piece);
    }
    return found;
  }
}

/** Pieces by their set on one axis. */
class AxisIndex {
  readonly #sets: RankSets;
  readonly #words: number;
  /** Pieces of each set. */
  readonly #bySet: ReadonlyMap<number, readonly number[]>;
  /** The same as bits, for sets with many pieces. */
  readonly #bits = new Map<number, Uint32Array>();
  /** Sets with a rank in each section, except wide ones. */
  readonly #sections: (readonly number[])[];
  readonly #wide: readonly number[];
  /** The ranks of this line are the sections. */
  readonly #line: Line<number>;
  readonly #memory = new Map<number, Uint32Array>();

  constructor(sets: RankSets, ofPieces: readonly number[]) {
    this.#sets = sets;
    this.#words = (ofPieces.length + 31) >> 5;
    this.#bySet = groupBy(ofPieces.keys(), (piece) => ofPieces[piece] as number);
    this.#line = sectionsBetween([...this.#bySet.keys()].map((set) => sets.bounds(set)[0] ?? 0));
    for (const [set, pieces] of this.#bySet) if (pieces.length > this.#words / MANY) this.#bits.set(set, bitsOf(pieces, this.#words));
    const sections = this.#line.cuts.map((): number[] => []);
    const wide: number[] = [];
    for (const set of this.#bySet.keys()) {
      const own = this.#sectionsOf(set);
      if (own.length > WIDE) wide.push(set);
      else for (const section of own) sections[section]?.push(set);
    }
    this.#sections = sections;
    this.#wide = wide;
  }

  /** Returns the pieces whose set meets `set`, as bits. */
  meeting(set: number): Uint32Array {
    const known = this.#memory.get(set);
    if (known !== undefined) return known;
    const bits = new Uint32Array(this.#words);
    for (const other of this.#candidates(set)) {
      if (!this.#sets.meets(set, other)) continue;
      const more = this.#bits.get(other);
      if (more === undefined) for (const piece of this.#bySet.get(other) ?? []) add(bits, piece);
      else for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) | (more[word] as number);
    }
    if (this.#memory.size * this.#words > MEMORY) this.#memory.clear();
    this.#memory.set(set, bits);
    return bits;
  }

  #candidates(set: number): Iterable<number> {
    const sections = this.#sectionsOf(set);
    if (sections.length > SECTIONS / WIDE) return this.#bySet.keys();
    return new Set([...this.#wide, ...sections.flatMap((section) => this.#sections[section] ?? [])]);
  }

  #sectionsOf(set: number): readonly number[] {
    const found: number[] = [];
    const bounds = this.#sets.bounds(set);
    for (let at = 0; at < bounds.length; at += 2) {
      const end = this.#line.rankOf((bounds[at + 1] as number) - 1);
      const first = this.#line.rankOf(bounds[at] as number);
      for (let section = Math.max(first, (found.at(-1) ?? -1) + 1); section <= end; section++) found.push(section);
    }
    return found;
  }
}

/**
 * Returns section starts, so that about the same number of sets starts in each section. On the axis of zone pairs, the sets may be close
 * together.
 */
function sectionsBetween(begins: readonly number[]): Line<number> {
  const sorted = Float64Array.from(begins).sort();
  const starts = Array.from({ length: SECTIONS }, (_, section) => sorted[Math.floor((section * sorted.length) / SECTIONS)] ?? 0);
  return new Line(starts, 0, Number.POSITIVE_INFINITY);
}

function bitsOf(pieces: readonly number[], words: number): Uint32Array {
  const bits = new Uint32Array(words);
  for (const piece of pieces) add(bits, piece);
  return bits;
}

function add(bits: Uint32Array, at: number): void {
  bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
}

const both = (a: Uint32Array, b: Uint32Array): Uint32Array => a.map((bits, at) => bits & (b[at] as number));

function count(bits: Uint32Array): number {
  let sum = 0;
  for (let word of bits) for (; word !== 0; word &= word - 1) sum++;
  return sum;
}

function* members(bits: Uint32Array): Generator<number> {
  for (let at = 0; at < bits.length; at++)
    for (let word = bits[at] as number; word !== 0; word &= word - 1) yield at * 32 + 31 - Math.clz32(word & -word);
}
