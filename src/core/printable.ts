/** Control characters, characters that change the direction of text, and line separators of Unicode. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** The same, without tabs and line ends. */
const CONTROLS_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]/g;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Escapes all control characters of a text from outside: a file name, a commit author, a name on a device. The result is one line
 * that cannot change the screen. The escapes are those of JSON: `\n`, `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, escaped);
}

/** Escapes the same characters but keeps tabs and line ends: for text that already consists of lines. */
export function printableLines(text: string): string {
  return text.replaceAll(CONTROLS_IN_LINES, escaped);
}

/** Escapes line breaks only. For a line of a report, which may contain the marks of our own colours. */
export function oneLine(text: string): string {
  return text.replaceAll(LINE_BREAKS, escaped);
}

/** Joins the lines of a report. A line break inside of a line is escaped, so that text from outside cannot add lines. Ends with a newline. */
export function joinLines(lines: readonly string[]): string {
  return `${lines.map(oneLine).join("\n")}\n`;
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
