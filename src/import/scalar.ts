/** With what turns the direction of writing: a reviewer must see a name as it is. */
const NOT_PRINTABLE =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff\r]/;
const PLAIN_START = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`=~.<$]|[.$-](?=[^\s,[\]{}.\-$]))/;
const FLOW_MARKS = /[,[\]{}]/;

/** Where a scalar stands: what is plain in a block can be a mark in a flow collection, and keys stay on one line. */
export interface ScalarPlace {
  readonly flow: boolean;
  readonly key: boolean;
  /** Spaces before the lines of a block scalar; undefined where none may stand. */
  readonly indent: string | undefined;
}

/**
 * The YAML of a text, quoted only where YAML needs it, and such that every YAML reader gets the same text from it:
 * lines as a `|-` block, single quotes for text with `"` or `\`, escapes for what is not printable.
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

/** Readers differ on blocks whose lines begin or end in odd white space: those are quoted. */
function block(value: string, place: ScalarPlace): string | undefined {
  if (place.indent === undefined || place.key || place.flow) return undefined;
  const lines = value.split("\n");
  if (/^\n*[^\S\n]/.test(value) || value.includes("\t") || lines.some((line) => /^\s+$/.test(line))) return undefined;
  if (value.endsWith("\n\n")) return undefined;
  const clips = value.endsWith("\n");
  if (clips) lines.pop();
  // A live text that ends in a line break means it.
  return `|${clips ? "+" : "-"}\n${lines.map((line) => (line === "" ? "" : `${place.indent}${line}`)).join("\n")}`;
}

/** Escapes by number: `\n` in quotes looks like `corp\nancy` gone wrong, to people and to the loader. */
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
