import { literalAt, quotedBetween } from "./document.js";
import { EVENT, MAP, Nodes, PLAIN, QUOTED, SEQUENCE } from "./nodes.js";

const LINE_FEED = 10;
const SPACE = 32;
const DOUBLE = 34;
const HASH = 35;
const SINGLE = 39;
const COMMA = 44;
const DASH = 45;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const BAR = 124;
const CLOSE_MAP = 125;

/** Maximum depth, far below the limit of the parser. */
const DEEPEST = 64;
/** Up to this number of keys, searching a list is faster than a set. */
const FEW_KEYS = 12;
/** Tabs, carriage returns, and characters of two code units. */
const ODD_CHARACTERS = /[\t\r\ud800-\udfff]/;
/** Characters that cannot begin a text without quotes here. '-' can, and is checked separately. */
const NEVER_FIRST = ascii(" \n#&*!|>'\"%@`,[]{}?:");
const FLOW = ascii(",[]{}");
/** Characters after a backslash in double quotes that stand for themselves. */
const ESCAPED = ascii('\\"');

/** Thrown if a document uses an unusual notation. */
const ODD = new Error("not everyday YAML");

/**
 * Parses documents in the usual notation: maps and sequences in blocks or brackets, texts of one line with common escapes, literal blocks
 * after '|', comments. Returns undefined for all other documents, valid or not: js-yaml reads these and reports errors. This parser takes a
 * third of the time of js-yaml and less memory. `test/desired/yaml/everyday.long.test.ts` checks that it gives the same result as js-yaml
 * and `check.ts`.
 */
export function readEveryday(text: string): Nodes | undefined {
  if (ODD_CHARACTERS.test(text)) return undefined;
  try {
    return new Reader(text).read();
  } catch (error) {
    if (error === ODD) return undefined;
    throw error;
  }
}

class Reader {
  readonly #text: string;
  readonly #nodes: Nodes;
  #at = 0;
  #lineStart = 0;
  /** Column of the first character of the line that `#nextLine` found; -1 at the end. */
  #column = 0;
  /** The scalar that was read last: its kind, and its range without quotes. */
  #kind = PLAIN;
  #from = 0;
  #to = 0;
  /** Keys of the open maps, outermost first. */
  #keys = new Int32Array(256);
  #keyCount = 0;

  constructor(text: string) {
    this.#text = text;
    this.#nodes = new Nodes(64 + (text.length >> 3));
  }

  read(): Nodes {
    this.#at = -1;
    this.#lines();
    if (this.#column === 0 && this.#text.startsWith("---\n", this.#at)) {
      this.#at += 3;
      this.#lines();
    }
    if (this.#column < 0) throw ODD;
    this.#scalar(false);
    if (!this.#isKey()) throw ODD;
    this.#map(this.#column, 0);
    if (this.#column >= 0) throw ODD;
    return this.#nodes;
  }

  /** Reads a block map whose first key was already read. Ends at the first line outside the map. */
  #map(column: number, depth: number): void {
    if (depth > DEEPEST) throw ODD;
    const map = this.#nodes.add(MAP, this.#from, 0);
    const keysFrom = this.#keyCount;
    let seen: Set<string> | undefined;
    for (;;) {
      seen = this.#key(keysFrom, seen);
      this.#at++;
      this.#value(column, depth + 1);
      if (this.#column > column) throw ODD;
      if (this.#column < column) break;
      this.#scalar(false);
      if (!this.#isKey()) throw ODD;
    }
    this.#keyCount = keysFrom;
    this.#nodes.close(map);
  }

  /** Reads the value after the ':' of a key in `column`. */
  #value(column: number, depth: number): void {
    const text = this.#text;
    const behind = this.#at;
    let at = behind;
    while (text.charCodeAt(at) === SPACE) at++;
    const code = text.charCodeAt(at);
    this.#at = at;
    if (code === LINE_FEED || code === HASH) {
      this.#at = behind;
      this.#nextLine();
      if (this.#column < column || (this.#column === column && !this.#isDash(this.#at))) throw ODD;
      this.#below(depth);
    } else if (code === BAR) this.#literal(column);
    else if (code === OPEN_LIST || code === OPEN_MAP) {
      this.#flow(column, depth);
      this.#nextLine();
    } else {
      this.#scalar(false);
      if (this.#isKey()) throw ODD;
      this.#addScalar();
      this.#nextLine();
    }
  }

  /** Reads a block collection that begins on a line after its key or dash. */
  #below(depth: number): void {
    if (this.#isDash(this.#at)) this.#sequence(this.#column, depth);
    else {
      this.#scalar(false);
      if (!this.#isKey()) throw ODD;
      this.#map(this.#column, depth);
    }
  }

  /** Reads a block sequence from its first dash. */
  #sequence(column: number, depth: number): void {
    if (depth > DEEPEST) throw ODD;
    const text = this.#text;
    const sequence = this.#nodes.add(SEQUENCE, this.#at, 0);
    do {
      const behind = this.#at + 1;
      let at = behind;
      while (text.charCodeAt(at) === SPACE) at++;
      const code = text.charCodeAt(at);
      this.#at = at;
      if (this.#isDash(at)) this.#sequence(at - this.#lineStart, depth + 1);
      else if (code === BAR) this.#literal(column);
      else if (code === LINE_FEED || code === HASH) {
        this.#at = behind;
        this.#nextLine();
        if (this.#column <= column) throw ODD;
        this.#below(depth + 1);
      } else if (code === OPEN_LIST || code === OPEN_MAP) {
        this.#flow(column, depth + 1);
        this.#nextLine();
      } else {
        const inner = at - this.#lineStart;
        this.#scalar(false);
        if (this.#isKey()) this.#map(inner, depth + 1);
        else {
          this.#addScalar();
          this.#nextLine();
        }
      }
      if (this.#column > column) throw ODD;
    } while (this.#column === column && this.#isDash(this.#at));
    this.#nodes.close(sequence);
  }

  /** Reads a collection in brackets inside a block in `column`. */
  #flow(column: number, depth: number): void {
    if (depth > DEEPEST) throw ODD;
    const text = this.#text;
    const isMap = text.charCodeAt(this.#at) === OPEN_MAP;
    const end = isMap ? CLOSE_MAP : CLOSE_LIST;
    const collection = this.#nodes.add(isMap ? MAP : SEQUENCE, this.#at, 0);
    const keysFrom = this.#keyCount;
    let seen: Set<string> | undefined;
    this.#at++;
    for (;;) {
      this.#skip(column);
      if (text.charCodeAt(this.#at) === end) break;
      if (isMap) {
        this.#scalar(true);
        if (!this.#isKey()) throw ODD;
        seen = this.#key(keysFrom, seen);
        this.#at++;
        this.#skip(column);
      }
      const code = text.charCodeAt(this.#at);
      if (code === OPEN_LIST || code === OPEN_MAP) this.#flow(column, depth + 1);
      else {
        this.#scalar(true);
        this.#addScalar();
      }
      this.#skip(column);
      const next = text.charCodeAt(this.#at);
      if (next === end) break;
      if (next !== COMMA) throw ODD;
      this.#at++;
    }
    this.#at++;
    this.#keyCount = keysFrom;
    this.#nodes.close(collection);
  }

  /** Reads a text of one line into `#kind`, `#from` and `#to`, and moves past it. */
  #scalar(inFlow: boolean): void {
    const text = this.#text;
    const first = text.charCodeAt(this.#at);
    this.#from = this.#at;
    if (first === DOUBLE || first === SINGLE) {
      this.#kind = QUOTED;
      let at = this.#at + 1;
      for (; ; at++) {
        const code = text.charCodeAt(at);
        if (code === first) {
          if (first === DOUBLE || text.charCodeAt(at + 1) !== SINGLE) break;
        } else if (code !== BACKSLASH || first === SINGLE) {
          if (code === LINE_FEED || at >= text.length) throw ODD;
          continue;
        } else if (ESCAPED[text.charCodeAt(at + 1)] !== 1) throw ODD;
        this.#kind = EVENT;
        at++;
      }
      this.#to = at;
      this.#at = at + 1;
      return;
    }
    this.#kind = PLAIN;
    this.#plain(first, inFlow);
  }

  #plain(first: number, inFlow: boolean): void {
    const text = this.#text;
    const { length } = text;
    let at = this.#at;
    if (at >= length || NEVER_FIRST[first] === 1 || (first === DASH && !this.#mayBeginWithDash(at, inFlow))) throw ODD;
    let to = at + 1;
    for (at = to; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === SPACE) continue;
      if (code === LINE_FEED) break;
      if (code === COLON) {
        const next = at + 1 < length ? text.charCodeAt(at + 1) : LINE_FEED;
        if (next === SPACE || next === LINE_FEED || (inFlow && FLOW[next] === 1)) break;
      } else if (code === HASH) {
        if (text.charCodeAt(at - 1) === SPACE) break;
      } else if (inFlow && FLOW[code] === 1) break;
      to = at + 1;
    }
    this.#to = to;
    this.#at = to;
  }

  #mayBeginWithDash(at: number, inFlow: boolean): boolean {
    if (this.#isDash(at) || this.#text.startsWith("---", at)) return false;
    return at + 1 < this.#text.length && !(inFlow && FLOW[this.#text.charCodeAt(at + 1)] === 1);
  }

  #addScalar(): number {
    const node = this.#nodes.add(this.#kind, this.#from, this.#to);
    if (this.#kind === EVENT) this.#nodes.events[node] = quotedBetween(this.#text, this.#from, this.#to);
    return node;
  }

  /** Reads a literal block inside a block in `column`, from a '|', with a final line break, or from a '|-', without. */
  #literal(column: number): void {
    const event = literalAt(this.#text, this.#at, column);
    if (event === undefined) throw ODD;
    const node = this.#nodes.add(EVENT, event.valueStart, event.valueEnd);
    this.#nodes.events[node] = event;
    this.#at = event.valueEnd - 1;
    this.#lines();
  }

  /** Returns whether a ':' follows on the same line, as after a key, and moves to it. */
  #isKey(): boolean {
    const text = this.#text;
    let at = this.#at;
    while (text.charCodeAt(at) === SPACE) at++;
    if (text.charCodeAt(at) !== COLON) return false;
    const next = text.charCodeAt(at + 1);
    if (next !== SPACE && next !== LINE_FEED) throw ODD;
    this.#at = at;
    return true;
  }

  /** Adds the scalar as a key of the map whose keys begin at `keysFrom`. `seen` contains the keys of large maps. */
  #key(keysFrom: number, seen: Set<string> | undefined): Set<string> | undefined {
    const text = this.#text;
    const start = this.#kind === QUOTED ? this.#from + 1 : this.#from;
    const end = this.#to;
    const length = end - start;
    if (this.#kind === EVENT || (length === 2 && text.startsWith("<<", start))) throw ODD;
    const key = this.#addScalar();
    if (seen !== undefined) {
      const before = seen.size;
      if (seen.add(text.slice(start, end)).size === before) throw ODD;
      return seen;
    }
    const last = text.charCodeAt(end - 1);
    for (let at = keysFrom; at < this.#keyCount; at++) {
      const other = this.#keys[at] as number;
      const otherEnd = this.#nodes.ends[other] as number;
      const otherStart = this.#keyStart(other);
      if (otherEnd - otherStart === length && (length === 0 || text.charCodeAt(otherEnd - 1) === last))
        if (text.startsWith(text.slice(start, end), otherStart)) throw ODD;
    }
    if (this.#keyCount === this.#keys.length) throw ODD;
    this.#keys[this.#keyCount++] = key;
    if (this.#keyCount - keysFrom <= FEW_KEYS) return undefined;
    const all = this.#keys.slice(keysFrom, this.#keyCount);
    return new Set(Array.from(all, (each) => text.slice(this.#keyStart(each), this.#nodes.ends[each])));
  }

  #keyStart(key: number): number {
    return (this.#nodes.starts[key] as number) + (this.#nodes.kinds[key] === QUOTED ? 1 : 0);
  }

  /** Returns whether a dash here begins an item. */
  #isDash(at: number): boolean {
    if (this.#text.charCodeAt(at) !== DASH) return false;
    const next = this.#text.charCodeAt(at + 1);
    return next === SPACE || next === LINE_FEED;
  }

  /** Moves from the end of a value to the next line with content. Only a comment may follow the value. */
  #nextLine(): void {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    while (text.charCodeAt(at) === SPACE) at++;
    const code = text.charCodeAt(at);
    if (code === HASH) {
      if (at === from) throw ODD;
      at = this.#endOfLine(at);
    } else if (code !== LINE_FEED && at < text.length) throw ODD;
    this.#at = at;
    this.#lines();
  }

  /** Moves from the end of a line to the next line with content other than a comment. */
  #lines(): void {
    const text = this.#text;
    const { length } = text;
    let at = this.#at;
    while (at < length) {
      const start = at + 1;
      at = start;
      while (text.charCodeAt(at) === SPACE) at++;
      const code = text.charCodeAt(at);
      if (code === HASH) at = this.#endOfLine(at);
      else if (code !== LINE_FEED && at < length) {
        this.#at = at;
        this.#lineStart = start;
        this.#column = at - start;
        return;
      }
    }
    this.#at = length;
    this.#column = -1;
  }

  /** Skips spaces, comments and line breaks inside brackets. Lines must be indented deeper than `column`. */
  #skip(column: number): void {
    const text = this.#text;
    let at = this.#at;
    let lineStart = -1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === SPACE) at++;
      else if (code === LINE_FEED) lineStart = ++at;
      else if (code === HASH) {
        const before = text.charCodeAt(at - 1);
        if (before !== SPACE && before !== LINE_FEED) throw ODD;
        at = this.#endOfLine(at);
      } else break;
    }
    if (at >= text.length) throw ODD;
    this.#at = at;
    if (lineStart < 0) return;
    if (at - lineStart <= column) throw ODD;
    this.#lineStart = lineStart;
  }

  #endOfLine(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end;
  }
}

function ascii(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
