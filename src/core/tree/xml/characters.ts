/** Character classes of XML 1.0 (fifth edition): a table for ASCII and regular expressions for other characters. */

/** Stops the scan of plain text: `<`, and characters that need special handling (`&`, `]`, CR, control characters, non-ASCII). */
export const TEXT_STOP = 1;
/**
 * Stops the scan of a plain attribute value: both quotes, `<`, and characters that need special handling, including white space other than
 * the space.
 */
export const VALUE_STOP = 2;
export const NAME_START = 4;
export const NAME_CHAR = 8;
const SPACE = 16;
/** Begins the plain text of a leaf: any character except white space and stops. */
export const LEAF_START = 32;

/** Classes of the bytes 0 to 255, as bits. Bytes from 128 on may be part of a name; `isXmlName` decides. */
export const CLASSES: Uint8Array = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(256);
  const add = (characters: string, bits: number): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | bits;
    }
  };
  for (let code = 0; code < 0x20; code++) {
    if (code !== 0x09 && code !== 0x0a && code !== 0x0d) table[code] = TEXT_STOP | VALUE_STOP;
  }
  for (let code = 0x80; code < 0x100; code++) table[code] = NAME_START | NAME_CHAR | TEXT_STOP | VALUE_STOP;
  add("<&]\r", TEXT_STOP);
  add("<&\"'\t\n\r", VALUE_STOP);
  add(" \t\n\r", SPACE);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:", NAME_START | NAME_CHAR);
  add("0123456789-.", NAME_CHAR);
  for (let code = 0; code < 0x80; code++)
    if (((table[code] ?? 0) & (SPACE | TEXT_STOP)) === 0) table[code] = (table[code] ?? 0) | LEAF_START;
  return table;
}

const START =
  ":A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const NAME = new RegExp(`^[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*$`, "u");

/** Characters that XML cannot contain, not even as a reference. */
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;

export function isXmlName(text: string): boolean {
  return NAME.test(text);
}

/** Returns the index of the first character that XML cannot contain, or -1. */
export function indexOfNonXml(text: string): number {
  return text.search(NOT_XML);
}

export function isXmlCodePoint(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

export function isXmlSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}
