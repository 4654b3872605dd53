import type { Attributes } from "../node.js";
import { Words } from "./bytes.js";
import { CLASSES, isXmlName, LEAF_START, NAME_CHAR, NAME_START, TEXT_STOP, VALUE_STOP } from "./characters.js";
import { readHardText, readHardValue } from "./hard-text.js";
import { malformed, shown } from "./malformed.js";
import { cut, StringPool } from "./string-pool.js";

/** Longer texts rarely occur twice. */
const MAX_POOLED = 24;

/** Reads the parts of a document from `at` onwards. There is one scanner for each document; its fields contain the last results. */
export class Scanner {
  /** See `TreeBuilder.kept`. */
  static readonly kept = new Scanner(Buffer.alloc(0));
  readonly xml: Buffer;
  /** Offset of the next byte. */
  at = 0;
  /** Name of the last start tag. */
  name: string | undefined = undefined;
  attributes: Attributes | undefined = undefined;
  /** True if the last start tag was `<tag/>`. */
  closed = false;
  readonly #words: Words;
  readonly #tags: StringPool;
  readonly #texts: StringPool;

  constructor(xml: Buffer) {
    this.xml = xml;
    this.#words = new Words(xml);
    this.#tags = new StringPool(xml, this.#words);
    this.#texts = new StringPool(xml, this.#words);
  }

  skipSpace(): void {
    const { xml } = this;
    let at = this.at;
    // Half of a document that a device writes is indentation.
    if (xml[at] === 0x0a) at = this.#words.behindSpaces(at + 1);
    while (at < xml.length) {
      const code = xml[at] as number;
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      at++;
    }
    this.at = at;
  }

  /** Skips `length` bytes if they equal the name at `from`. */
  skip(from: number, length: number): boolean {
    const { at } = this;
    if (at + length > this.xml.length || !this.#words.same(from, at, length)) return false;
    this.at = at + length;
    return true;
  }

  /** Reads the name of an element or attribute. */
  readName(): string {
    const { xml } = this;
    const from = this.at;
    let at = from;
    let bits = 0;
    while (at < xml.length) {
      const code = xml[at] as number;
      if (((CLASSES[code] as number) & NAME_CHAR) === 0) break;
      bits |= code;
      at++;
    }
    if (at === from || ((CLASSES[xml[from] as number] as number) & NAME_START) === 0) {
      throw malformed(xml, from, `${shown(xml, from)} instead of a name`);
    }
    this.at = at;
    if (bits < 0x80) return this.#tags.take(from, at);
    const name = xml.toString("utf8", from, at);
    if (!isXmlName(name)) throw malformed(xml, from, "a name that XML does not allow");
    return name;
  }

  /** Reads the rest of a start tag after its element name: attributes, then `>` or `/>`. */
  readAttributes(): void {
    const { xml } = this;
    this.name = undefined;
    this.closed = false;
    let others: Map<string, string> | undefined;
    for (;;) {
      const before = this.at;
      this.skipSpace();
      const { at } = this;
      const code = xml[at];
      if (code === 0x3e) {
        this.at = at + 1;
        break;
      }
      if (code === 0x2f) {
        if (xml[at + 1] !== 0x3e) throw malformed(xml, at, '"/" inside a tag');
        this.at = at + 2;
        this.closed = true;
        break;
      }
      if (at >= xml.length) throw malformed(xml, at, "the document ends inside a tag");
      if (at === before) throw malformed(xml, at, `${shown(xml, at)} instead of white space, "/" or ">"`);
      const key = this.readName();
      const value = this.#readValue();
      if (key === "name" ? this.name !== undefined : others?.has(key) === true) throw malformed(xml, at, "an attribute appears twice");
      if (key === "name") this.name = value;
      else {
        others ??= new Map();
        others.set(key, value);
      }
    }
    this.attributes = others;
  }

  #readValue(): string {
    const { xml } = this;
    this.skipSpace();
    if (xml[this.at] !== 0x3d) throw malformed(xml, this.at, `${shown(xml, this.at)} instead of "="`);
    this.at++;
    this.skipSpace();
    const quote = xml[this.at];
    if (quote !== 0x22 && quote !== 0x27) throw malformed(xml, this.at, "an attribute value without quotes");
    this.at++;
    const plain = this.#readPlain(VALUE_STOP, quote);
    if (plain === undefined) {
      const { text, end } = readHardValue(xml, this.at, quote);
      this.at = end + 1;
      return text;
    }
    this.at++;
    return plain;
  }

  /** Reads character data up to the next `<`. Resolves references and converts line ends to LF. */
  readText(): string {
    const plain = this.#readPlain(TEXT_STOP, 0x3c);
    if (plain !== undefined) return plain;
    const { text, end } = readHardText(this.xml, this.at);
    this.at = end;
    return text;
  }

  /**
   * Reads the text of an element with only plain text, together with its end tag. Most elements have this form. Returns undefined and reads
   * nothing for others.
   */
  readLeaf(tagOffset: number, tagLength: number): string | undefined {
    const { xml, at: from } = this;
    if (((CLASSES[xml[from] as number] as number) & LEAF_START) === 0) return undefined;
    const end = this.#findPlainEnd(TEXT_STOP);
    const behind = end + 2 + tagLength;
    if (xml[end] !== 0x3c || xml[end + 1] !== 0x2f || xml[behind] !== 0x3e || !this.#words.same(tagOffset, end + 2, tagLength))
      return undefined;
    this.at = behind + 1;
    return this.#textBetween(from, end);
  }

  /** Reads ASCII text up to `end` without special characters. Returns undefined and reads nothing for other text. */
  #readPlain(stop: number, end: number): string | undefined {
    const from = this.at;
    const at = this.#findPlainEnd(stop);
    if (this.xml[at] !== end) return undefined;
    this.at = at;
    return this.#textBetween(from, at);
  }

  /** Returns the offset of the first byte of class `stop`. */
  #findPlainEnd(stop: number): number {
    const { xml } = this;
    let { at } = this;
    while (at < xml.length && ((CLASSES[xml[at] as number] as number) & stop) === 0) at++;
    return at;
  }

  #textBetween(from: number, to: number): string {
    return to - from <= MAX_POOLED ? this.#texts.take(from, to) : cut(this.xml, from, to);
  }
}

/** Returns true for a text with only white space. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) return false;
  }
  return true;
}
