const SLOTS = 4096;

/**
 * Remembers recent short strings, so that a tag or a common text (`any`, `yes`, `tcp`) is made and kept once, not a
 * million times. A slot holds the last string that fell into it: a miss costs a new string, never a wrong one.
 */
export class StringPool {
  readonly #slots: string[] = new Array<string>(SLOTS).fill("");

  /** The ASCII characters `from` to `to`, whose hash the caller made while it scanned them. */
  take(xml: Buffer, from: number, to: number, hash: number): string {
    const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
    const known = this.#slots[slot] as string;
    if (known.length === to - from && startsWith(xml, from, known)) return known;
    const fresh = cut(xml, from, to);
    this.#slots[slot] = fresh;
    return fresh;
  }
}

/** Whether the bytes from `from` on are those of an ASCII text. */
export function startsWith(xml: Buffer, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (xml[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

/** Node's own method behind `toString("latin1")`, which takes a longer way there; it shows in a million calls. */
interface Latin1 {
  latin1Slice(start: number, end: number): string;
}

/** The ASCII characters `from` to `to`. */
export function cut(xml: Buffer, from: number, to: number): string {
  return (xml as Buffer & Latin1).latin1Slice(from, to);
}
