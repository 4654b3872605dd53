import type { CompiledRule } from "./compile.js";
import type { RankSets } from "./rank-sets.js";
import { type Box, PLACE, type Space } from "./space.js";

/** Lists of pieces longer than this are narrowed by their addresses too. */
const LONG = 64;
/** Parts into which an axis is divided, to find the sets that could meet one. */
const SECTIONS = 512;
/** Words of 32 bits that are remembered for one axis. */
const MEMORY = 4_000_000;

/** One box of a rule, with the rule's place in the order. */
export interface Piece {
  readonly at: number;
  readonly box: Box;
}

/** Which rules meet a box, without asking each of them. */
export class RuleIndex {
  readonly #space: Space;
  readonly #pieces: readonly Piece[];
  readonly #zones: AxisIndex;
  readonly #source: AxisIndex;
  readonly #destination: AxisIndex;

  constructor(space: Space, rules: readonly CompiledRule[]) {
    this.#space = space;
    this.#pieces = rules.flatMap(({ boxes }, at) => boxes.map((box) => ({ at, box })));
    const index = (axis: "zones" | "source" | "destination") =>
      new AxisIndex(
        space.axis(axis),
        this.#pieces.map(({ box }) => box[PLACE[axis]] as number),
      );
    this.#zones = index("zones");
    this.#source = index("source");
    this.#destination = index("destination");
  }

  /** Boxes of rules that meet `box`, from the top; those of rules from the place `below` on are left out. */
  meeting(box: Box, below = Number.POSITIVE_INFINITY): readonly Piece[] {
    const zones = this.#zones.meeting(box[PLACE.zones] as number);
    const byDestination = (bits: Uint32Array) => both(bits, this.#destination.meeting(box[PLACE.destination] as number));
    const bySource = (bits: Uint32Array) => both(bits, this.#source.meeting(box[PLACE.source] as number));
    const found: Piece[] = [];
    for (const at of members(count(zones) > LONG ? bySource(byDestination(zones)) : zones)) {
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
  /** The pieces of each set, as bits. */
  readonly #bySet = new Map<number, Uint32Array>();
  /** Sets that have a rank in each section. */
  readonly #sections: (readonly number[])[];
  readonly #width: number;
  readonly #memory = new Map<number, Uint32Array>();

  constructor(sets: RankSets, ofPieces: readonly number[]) {
    this.#sets = sets;
    this.#words = (ofPieces.length + 31) >> 5;
    this.#width = Math.ceil(sets.size / SECTIONS);
    for (const [piece, set] of ofPieces.entries()) add(this.#bitsOf(set), piece);
    const sections = Array.from({ length: SECTIONS }, (): number[] => []);
    for (const set of this.#bySet.keys()) for (const section of this.#sectionsOf(set)) sections[section]?.push(set);
    this.#sections = sections;
  }

  /** The pieces whose set meets `set`, as bits. */
  meeting(set: number): Uint32Array {
    const known = this.#memory.get(set);
    if (known !== undefined) return known;
    const bits = new Uint32Array(this.#words);
    const candidates = new Set([...this.#sectionsOf(set)].flatMap((section) => this.#sections[section] ?? []));
    for (const other of candidates) {
      if (!this.#sets.meets(set, other)) continue;
      const more = this.#bySet.get(other) as Uint32Array;
      for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) | (more[word] as number);
    }
    if (this.#memory.size * this.#words > MEMORY) this.#memory.clear();
    this.#memory.set(set, bits);
    return bits;
  }

  *#sectionsOf(set: number): Generator<number> {
    let last = -1;
    for (const [from, to] of this.#sets.ranges(set)) {
      const end = Math.floor((to - 1) / this.#width);
      for (let section = Math.max(Math.floor(from / this.#width), last + 1); section <= end; section++) yield section;
      last = Math.max(last, end);
    }
  }

  #bitsOf(set: number): Uint32Array {
    const bits = this.#bySet.get(set) ?? new Uint32Array(this.#words);
    this.#bySet.set(set, bits);
    return bits;
  }
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
