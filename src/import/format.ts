import { isDeepStrictEqual } from "node:util";
import { Lexer, parseDocument } from "yaml";
import { parseToFormat, writeYaml } from "./yaml.js";

/** Maximum number of rounds until the text must be stable. */
const ROUNDS = 4;

/** Formatted document, or the reason why it is not changed. */
export type Formatted = { readonly text: string } | { readonly problem: string; readonly line?: number | undefined };

/**
 * Formats a document: two spaces per level, one space in flow maps and before values, and a newline at the end of each line. Order, quotes,
 * comments and blank lines between entries are kept. A second run changes nothing. A text whose meaning or comments would change is left as
 * it is.
 */
export function formatYaml(source: string): Formatted {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const [error] = parseToFormat(text).errors;
  if (error !== undefined) return { problem: error.message.split("\n", 1)[0] ?? "", line: error.linePos?.[0].line };
  try {
    return parseToFormat(text).contents === null ? { text: tidy(text) } : settled(text);
  } catch (cause) {
    // The text has an unresolved alias, or one with too many expansions.
    return { problem: (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0] ?? "" };
  }
}

function settled(text: string): Formatted {
  let before = text;
  for (let round = 0; round < ROUNDS; round++) {
    const after = tidy(asBefore(writeYaml(parseToFormat(before)), before));
    if (after === before) return meansTheSame(text, after) ? { text: after } : { problem: "it would not mean the same afterwards" };
    before = after;
  }
  return { problem: "it comes out otherwise each time" };
}

/**
 * Restores two things that the parser does not keep: a comment behind a key whose value begins on the next line, and the `+` of a block
 * that keeps the line break at its end.
 */
function asBefore(text: string, before: string): string {
  const behind = new Set([...before.matchAll(/([^\s:#]+:)[ \t]+(#.*)$/gm)].map(([, key, comment = ""]) => `${key} ${comment.trimEnd()}`));
  const kept = new Set([...before.matchAll(/([^\s:#]+:)[ \t]+\|[1-9]?\+[ \t]*$/gm)].map(([, key]) => key));
  return text
    .replace(/^(.*?)([^\s:#]+:)\n[ \t]+(#.*)$/gm, (all, start: string, key: string, comment: string) =>
      behind.has(`${key} ${comment.trimEnd()}`) ? `${start}${key} ${comment}` : all,
    )
    .replace(/([^\s:#]+:) \|([1-9]?)$/gm, (all, key: string, spaces: string) => (kept.has(key) ? `${key} |${spaces}+` : all));
}

/** Removes spaces after comments and on empty lines, and ends the text with one newline. */
function tidy(text: string): string {
  return `${text
    .replace(/^(\s*#.*?)[ \t]+$/gm, "$1")
    .replace(/^ +$/gm, "")
    .trimEnd()}\n`;
}

function meansTheSame(before: string, after: string): boolean {
  return isDeepStrictEqual(valueOfText(before), valueOfText(after)) && isDeepStrictEqual(commentsOf(before), commentsOf(after));
}

function valueOfText(text: string): unknown {
  return parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false, logLevel: "silent" }).toJS({
    mapAsMap: true,
  });
}

function commentsOf(text: string): string[] {
  return [...new Lexer().lex(text)]
    .filter((token) => token.startsWith("#"))
    .map((token) => token.trimEnd())
    .sort();
}
