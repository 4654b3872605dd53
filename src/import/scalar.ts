/** Includes characters that change the direction of text, because a reviewer must see the real name. */
const NOT_PRINTABLE =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff\r]/;
const PLAIN_START = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`=~.<$]|[.$-](?=[^\s,[\]{}.\-$]))/;
const FLOW_MARKS = /[,[\]{}]/;

/** Context of a scalar. Some plain text in a block is syntax in a flow collection, and keys are on one line. */
export interface ScalarPlace {
  readonly flow: boolean;
  readonly key: boolean;
  /** Spaces before the lines of a block scalar. Undefined if a block is not permitted. */
  readonly indent: string | undefined;
}

/**
 * Returns the YAML of a text. It is quoted only if YAML requires it, and every YAML parser reads the same text: several lines as a
 * block scalar, single quotes for text with `"` or `\`, and escapes for characters that are not printable.
 */
export function scalar(value: string, place: ScalarPlace): string {
  const printable = !NOT_PRINTABLE.test(value) || !NOT_PRINTABLE.test(value.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""));
  if (!printable) return doubleQuoted(value);
  if (value.includes("\n")) return block(value, place) ?? doubleQuoted(value);
  if (isPlain(value, place.flow)) return value;
  return value.includes('"') || value.includes("\\") || value.includes("\t") ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
}

function isPlain(value: string, inFlow: boolean): boolean {
  if (!PLAIN_START.test(value) || value.endsWith(":") || /\s$/.test(value) || value.includes("\t")) return false;
  if (value.includes(": ") || value.includes(" #")) return false;
  if (value.includes("${")) return false;
  return !(inFlow && (FLOW_MARKS.test(value) || value.includes(":{") || value.includes(':"')));
}

/** Editors and formatters remove white space from a line that has nothing else, so a text with such a line is quoted. */
function block(value: string, place: ScalarPlace): string | undefined {
  if (place.indent === undefined || place.key || place.flow) return undefined;
  const lines = value.split("\n");
  if (lines.some((line) => /^\s+$|^ *\t/.test(line)) || value.trim() === "") return undefined;
  const clips = value.endsWith("\n");
  if (clips) lines.pop();
  // Without the number of spaces, a parser takes the spaces of the first line as indentation.
  const spaces = /^\n* /.test(value) ? "2" : "";
  // A line break at the end of a live text is significant.
  return `|${spaces}${clips ? "+" : "-"}\n${lines.map((line) => (line === "" ? "" : `${place.indent}${line}`)).join("\n")}`;
}

/** Escapes by number. A reader and the loader would take a line break escaped with a letter for a mistyped `corp\nancy`. */
function doubleQuoted(value: string): string {
  let out = '"';
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === "\\") out += `\\${character}`;
    else if (code >= 0x20 && code !== 0x7f && !(code > 0x7f && (code > 0xffff ? false : NOT_PRINTABLE.test(character)))) out += character;
    else out += code <= 0xff ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  }
  return `${out}"`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, "0");
}
