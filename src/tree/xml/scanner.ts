import type { Attributes } from "../node.js";
import { CLASSES, FORBIDDEN, isXmlName, NAME_CHAR, NAME_START, SPACE, TEXT_STOP, VALUE_STOP } from "./characters.js";
import { malformed, shown } from "./malformed.js";
import { readReference } from "./references.js";
import { StringPool } from "./string-pool.js";

/** Longer texts are hardly ever met twice. */
const MAX_POOLED = 24;

/** Reads the parts of a document from `at` onwards. One object a document; its fields hold what was read last. */
export class Scanner {
  readonly xml: string;
  /** Offset of the next character. */
  at = 0;
  /** Of the start tag read last. */
  name: string | undefined = undefined;
  attributes: Attributes | undefined = undefined;
  /** Whether the start tag read last was `<tag/>`. */
  closed = false;
  readonly #tags = new StringPool();
  readonly #texts = new StringPool();

  constructor(xml: string) {
    this.xml = xml;
  }

  skipSpace(): void {
    const { xml } = this;
    let at = this.at;
    for (;;) {
      const code = xml.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) break;
      at++;
    }
    this.at = at;
  }

  /** An element's or attribute's name. */
  readName(): string {
    const { xml } = this;
    const from = this.at;
    let at = from;
    let hash = 0;
    let code = xml.charCodeAt(at);
    while (code >= 0x80 || ((CLASSES[code] as number) & NAME_CHAR) !== 0) {
      hash = (Math.imul(hash, 31) + code) | 0;
      code = xml.charCodeAt(++at);
    }
    const first = xml.charCodeAt(from);
    if (at === from || (first < 0x80 && ((CLASSES[first] as number) & NAME_START) === 0)) {
      throw malformed(xml, from, `${shown(xml, from)} where a name is due`);
    }
    this.at = at;
    const name = this.#tags.take(xml, from, at, hash);
    if (hasWide(name) && !isXmlName(name)) throw malformed(xml, from, `"${name}" is not a name that XML allows`);
    return name;
  }

  /** The rest of a start tag behind its element name: attributes, then `>` or `/>`. */
  readAttributes(): void {
    const { xml } = this;
    this.name = undefined;
    this.closed = false;
    let others: Map<string, string> | undefined;
    for (;;) {
      const before = this.at;
      this.skipSpace();
      const code = xml.charCodeAt(this.at);
      if (code === 0x3e) {
        this.at++;
        break;
      }
      if (code === 0x2f) {
        if (xml.charCodeAt(this.at + 1) !== 0x3e) throw malformed(xml, this.at, '"/" inside a tag');
        this.at += 2;
        this.closed = true;
        break;
      }
      if (this.at >= xml.length) throw malformed(xml, this.at, "the document ends inside a tag");
      if (this.at === before) throw malformed(xml, this.at, `${shown(xml, this.at)} where white space, "/" or ">" is due`);
      const start = this.at;
      const key = this.readName();
      const value = this.#readValue();
      if (key === "name") {
        if (this.name !== undefined) throw malformed(xml, start, 'attribute "name" stands twice');
        this.name = value;
      } else {
        others ??= new Map();
        if (others.has(key)) throw malformed(xml, start, `attribute "${key}" stands twice`);
        others.set(key, value);
      }
    }
    this.attributes = others;
  }

  #readValue(): string {
    const { xml } = this;
    this.skipSpace();
    if (xml.charCodeAt(this.at) !== 0x3d) throw malformed(xml, this.at, `${shown(xml, this.at)} where "=" is due`);
    this.at++;
    this.skipSpace();
    const quote = xml.charCodeAt(this.at);
    if (quote !== 0x22 && quote !== 0x27) throw malformed(xml, this.at, "an attribute value without quotes");
    const from = ++this.at;
    let at = from;
    let hash = 0;
    let code = xml.charCodeAt(at);
    while (code < 0x80 ? ((CLASSES[code] as number) & VALUE_STOP) === 0 : code < 0xfffe) {
      hash = (Math.imul(hash, 31) + code) | 0;
      code = xml.charCodeAt(++at);
    }
    if (code !== quote) return this.#readHardValue(from, at, quote);
    this.at = at + 1;
    return at - from <= MAX_POOLED ? this.#texts.take(xml, from, at, hash) : xml.slice(from, at);
  }

  /** A value with references, line ends or the other kind of quote; `at` is the first such place. */
  #readHardValue(from: number, at: number, quote: number): string {
    const { xml } = this;
    let value = "";
    for (let plain = from; ; at++) {
      const code = xml.charCodeAt(at);
      if (code === quote) {
        this.at = at + 1;
        return value + xml.slice(plain, at);
      }
      if (code === 0x26) {
        const { text, end } = readReference(xml, at);
        value += xml.slice(plain, at) + text;
        plain = end;
        at = end - 1;
      } else if (code === 0x0a || code === 0x09 || code === 0x0d) {
        value += `${xml.slice(plain, at)} `;
        if (code === 0x0d && xml.charCodeAt(at + 1) === 0x0a) at++;
        plain = at + 1;
      } else if (code === 0x3c) {
        throw malformed(xml, at, '"<" in an attribute value; write &lt;');
      } else this.#refuseForbidden(at, code, "an attribute value");
    }
  }

  /** Character data up to the next `<`, references resolved, line ends made LF. */
  readText(): string {
    const { xml } = this;
    const from = this.at;
    let at = from;
    let hash = 0;
    let code = xml.charCodeAt(at);
    while (code < 0x80 ? ((CLASSES[code] as number) & TEXT_STOP) === 0 : code < 0xfffe) {
      hash = (Math.imul(hash, 31) + code) | 0;
      code = xml.charCodeAt(++at);
    }
    if (code !== 0x3c) return this.#readHardText(from, at);
    this.at = at;
    return at - from <= MAX_POOLED ? this.#texts.take(xml, from, at, hash) : xml.slice(from, at);
  }

  #readHardText(from: number, at: number): string {
    const { xml } = this;
    let text = "";
    for (let plain = from; ; at++) {
      const code = xml.charCodeAt(at);
      if (code === 0x3c) {
        this.at = at;
        return text + xml.slice(plain, at);
      }
      if (code === 0x26) {
        const { text: character, end } = readReference(xml, at);
        text += xml.slice(plain, at) + character;
        plain = end;
        at = end - 1;
      } else if (code === 0x0d) {
        text += `${xml.slice(plain, at)}\n`;
        if (xml.charCodeAt(at + 1) === 0x0a) at++;
        plain = at + 1;
      } else if (code === 0x5d) {
        if (xml.startsWith("]]>", at)) throw malformed(xml, at, '"]]>" in text; write ]]&gt;');
      } else this.#refuseForbidden(at, code, "text");
    }
  }

  #refuseForbidden(at: number, code: number, inside: string): void {
    const { xml } = this;
    if (at >= xml.length) throw malformed(xml, at, `the document ends inside ${inside}`);
    if (code < 0x80 ? ((CLASSES[code] as number) & FORBIDDEN) !== 0 : code >= 0xfffe) {
      throw malformed(xml, at, `${shown(xml, at)} is not allowed in XML`);
    }
  }
}

function hasWide(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) >= 0x80) return true;
  return false;
}

/** True for a text of nothing but white space. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 || ((CLASSES[code] as number) & SPACE) === 0) return false;
  }
  return true;
}
