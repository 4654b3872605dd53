/** Character classes of XML 1.0 (fifth edition), one table for ASCII and regular expressions for the rest. */

/** `]` ends nothing by itself, `&`, `<`, CR and control characters do; all of them stop the scan of plain text. */
export const TEXT_STOP = 1;
/** Stops the scan of a plain attribute value: both quotes, `<`, `&`, and white space other than the space itself. */
export const VALUE_STOP = 2;
export const NAME_START = 4;
export const NAME_CHAR = 8;
export const SPACE = 16;
/** Not allowed anywhere in a document. */
export const FORBIDDEN = 32;

/** Classes of the characters 0 to 127, as bits. */
export const CLASSES: Uint8Array = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(128);
  const add = (characters: string, bits: number): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | bits;
    }
  };
  for (let code = 0; code < 0x20; code++) {
    if (code !== 0x09 && code !== 0x0a && code !== 0x0d) table[code] = TEXT_STOP | VALUE_STOP | FORBIDDEN;
  }
  add("<&]\r", TEXT_STOP);
  add("<&\"'\t\n\r", VALUE_STOP);
  add(" \t\n\r", SPACE);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:", NAME_START | NAME_CHAR);
  add("0123456789-.", NAME_CHAR);
  return table;
}

const START =
  ":A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const NAME = new RegExp(`^[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*$`, "u");

/** Characters that no XML document can carry, not even as a reference. */
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;

export function isXmlName(text: string): boolean {
  return NAME.test(text);
}

/** Index of the first character that XML cannot carry, or -1. */
export function indexOfNonXml(text: string): number {
  return text.search(NOT_XML);
}

export function isXmlCodePoint(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

export function isXmlSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}
