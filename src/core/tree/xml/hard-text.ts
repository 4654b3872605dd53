import { indexOfNonXml, isXmlCodePoint } from "./characters.js";
import { malformed, shown } from "./malformed.js";

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Maximum length of a valid reference. `&#1114111;` is the longest without leading zeros. */
const MAX_LENGTH = 64;

/** A text and the offset of the byte that ends it. */
interface Read {
  readonly text: string;
  readonly end: number;
}

/** Reads character data with references, line ends, brackets or non-ASCII characters, up to the next `<`. */
export function readHardText(xml: Buffer, from: number): Read {
  let text = "";
  let plain = from;
  for (let at = from; at < xml.length; at++) {
    const code = xml[at];
    if (code === 0x3c) return { text: text + decode(xml, plain, at), end: at };
    if (code === 0x26) {
      const reference = readReference(xml, at);
      text += decode(xml, plain, at) + reference.text;
      plain = reference.end;
      at = reference.end - 1;
    } else if (code === 0x0d) {
      text += `${decode(xml, plain, at)}\n`;
      if (xml[at + 1] === 0x0a) at++;
      plain = at + 1;
    } else if (code === 0x5d && xml[at + 1] === 0x5d && xml[at + 2] === 0x3e) {
      throw malformed(xml, at, '"]]>" in text; write ]]&gt;');
    }
  }
  decode(xml, plain, xml.length);
  throw malformed(xml, xml.length, "the document ends inside text");
}

/** Reads an attribute value with references, white space, the other quote or non-ASCII characters, up to `quote`. */
export function readHardValue(xml: Buffer, from: number, quote: number): Read {
  let text = "";
  let plain = from;
  for (let at = from; at < xml.length; at++) {
    const code = xml[at];
    if (code === quote) return { text: text + decode(xml, plain, at), end: at };
    if (code === 0x26) {
      const reference = readReference(xml, at);
      text += decode(xml, plain, at) + reference.text;
      plain = reference.end;
      at = reference.end - 1;
    } else if (code === 0x0a || code === 0x09 || code === 0x0d) {
      text += `${decode(xml, plain, at)} `;
      if (code === 0x0d && xml[at + 1] === 0x0a) at++;
      plain = at + 1;
    } else if (code === 0x3c) throw malformed(xml, at, '"<" in an attribute value; write &lt;');
  }
  decode(xml, plain, xml.length);
  throw malformed(xml, xml.length, "the document ends inside an attribute value");
}

function decode(xml: Buffer, from: number, to: number): string {
  const text = xml.toString("utf8", from, to);
  const bad = indexOfNonXml(text);
  if (bad < 0) return text;
  const at = from + Buffer.byteLength(text.slice(0, bad));
  throw malformed(xml, at, `${shown(xml, at)} is not allowed in XML`);
}

/** Reads the reference at `at`. Returns its text and the offset behind its `;`. Supports the five named entities and numbers, no DTD. */
function readReference(xml: Buffer, at: number): { readonly text: string; readonly end: number } {
  const start = xml.toString("latin1", at + 1, at + MAX_LENGTH);
  const semicolon = start.indexOf(";");
  if (semicolon < 0) throw malformed(xml, at, "an ampersand that begins no reference; write &amp;");
  const name = start.slice(0, semicolon);
  const text = NAMED.get(name) ?? numeric(name);
  if (text === undefined) throw malformed(xml, at, "an entity that is not defined or not a character");
  return { text, end: at + semicolon + 2 };
}

function numeric(name: string): string | undefined {
  const match = /^#(?:x([0-9A-Fa-f]+)|([0-9]+))$/.exec(name);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number.parseInt(match[2] ?? "", 10) : Number.parseInt(match[1], 16);
  return isXmlCodePoint(code) ? String.fromCodePoint(code) : undefined;
}
