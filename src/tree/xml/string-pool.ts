const SLOTS = 4096;

/**
 * Remembers recent short strings, so that a tag or a common text (`any`, `yes`, `tcp`) is kept once, not a million
 * times. A slot holds the last string that fell into it: a miss costs a new string, never a wrong one.
 */
export class StringPool {
  readonly #slots: string[] = new Array<string>(SLOTS).fill("");

  /** The characters `from` to `to` of `text`, whose hash the caller made while it scanned them. */
  take(text: string, from: number, to: number, hash: number): string {
    const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
    const known = this.#slots[slot] as string;
    if (known.length === to - from && text.startsWith(known, from)) return known;
    const fresh = text.slice(from, to);
    this.#slots[slot] = fresh;
    return fresh;
  }
}
