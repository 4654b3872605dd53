import type { Words } from "./bytes.js";

/**
 * Returns the number of index bits: enough slots to separate the tags and common texts of a document, and few enough to be cheap for a
 * short one.
 */
function bitsFor(length: number): number {
  return Math.min(12, Math.max(6, 26 - Math.clz32(length)));
}

/**
 * Caches recent short strings, so that a tag or a common text (`any`, `yes`, `tcp`) is created once. A slot holds its last string: a miss
 * costs a new string and never returns a wrong one.
 */
export class StringPool {
  readonly #xml: Buffer;
  readonly #words: Words;
  readonly #shift: number;
  readonly #strings: string[];
  /** Offsets of the bytes of each slot's string. */
  readonly #offsets: Int32Array;

  constructor(xml: Buffer, words: Words) {
    const bits = bitsFor(xml.length);
    this.#xml = xml;
    this.#words = words;
    this.#shift = 32 - bits;
    this.#strings = new Array<string>(1 << bits).fill("");
    this.#offsets = new Int32Array(1 << bits);
  }

  /** Returns the ASCII characters `from` to `to`. */
  take(from: number, to: number): string {
    const slot = this.#words.hash(from, to) >>> this.#shift;
    const known = this.#strings[slot] as string;
    if (known.length === to - from && this.#words.same(this.#offsets[slot] as number, from, to - from)) return known;
    const fresh = cut(this.#xml, from, to);
    this.#strings[slot] = fresh;
    this.#offsets[slot] = from;
    return fresh;
  }
}

/** Returns true if the bytes at `from` equal an ASCII text. */
export function startsWith(xml: Buffer, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (xml[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

/** Node's internal method behind `toString("latin1")`. The direct call is measurably faster over a million calls. */
interface Latin1 {
  latin1Slice(start: number, end: number): string;
}

/** Returns the ASCII characters `from` to `to`. */
export function cut(xml: Buffer, from: number, to: number): string {
  return (xml as Buffer & Latin1).latin1Slice(from, to);
}
