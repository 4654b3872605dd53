import { isXmlCodePoint } from "./characters.js";
import { malformed } from "./malformed.js";

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Maximum length of a valid reference. `&#1114111;` is the longest without leading zeros. */
const MAX_LENGTH = 64;

/** Reads the reference at `at`. Returns its text and the offset behind its `;`. Supports the five named entities and numbers, no DTD. */
export function readReference(xml: Buffer, at: number): { readonly text: string; readonly end: number } {
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
