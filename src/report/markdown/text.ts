import { printable } from "../../core/printable.js";

/**
 * Text of devices and repositories in a comment of a code host. It must have no effect: no markup, no HTML, no mention of a person, no
 * link, no quick action at the start of a line. All hosts leave text unchanged only inside code.
 */

/** A word without meaning for any host: only letters, or a number, with ordinary punctuation around it. */
const PLAIN_WORD = /^[("']?(?:\p{L}+(?:['’-]\p{L}+)*|\d+(?:[.,]\d+)*%?|[–—→·…])[)"']?[.,;:!?]?[)"']?$/u;
/** Words that consist of hexadecimal digits could be read as a commit. */
const LIKE_A_COMMIT = /^[0-9a-f]{7,}$/i;

/** Returns the text on one line, cut to `length` UTF-16 code units. */
export function clip(text: string, length: number): string {
  const line = printable(text);
  if (line.length <= length) return line;
  return `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Returns any text as inline code. */
export function codeSpan(text: string): string {
  const line = printable(text);
  if (line.trim() === "") return '`""`';
  const ticks = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || (line.startsWith(" ") && line.endsWith(" ")) ? " " : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Returns a sentence that contains names. Ordinary words stay unchanged; all other words become inline code. */
export function prose(text: string, length = 600): string {
  const parts: string[] = [];
  let odd: string[] = [];
  const flush = () => {
    if (odd.length > 0) parts.push(codeSpan(odd.join(" ")));
    odd = [];
  };
  for (const word of clip(text.replaceAll(/\s+/g, " ").trim(), length).split(" ")) {
    if (word === "") continue;
    if (PLAIN_WORD.test(word) && !LIKE_A_COMMIT.test(word)) {
      flush();
      parts.push(word);
    } else odd.push(word);
  }
  flush();
  return parts.join(" ");
}

/** Returns the text as code in HTML, for a `<summary>`, where Markdown has no effect. */
export function htmlCode(text: string): string {
  return `<code>${escapeHtml(printable(text))}</code>`;
}

/** Returns a fence that no line of the block can close. */
export function fenceFor(lines: Iterable<string>): string {
  let longest = 2;
  for (const line of lines) longest = Math.max(longest, longestRun(line));
  return "`".repeat(longest + 1);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("`", "&#96;");
}
