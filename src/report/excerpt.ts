import type { PlumblineError } from "../core/errors.js";
import type { Paint } from "./style.js";

/** Width of an excerpt. Longer lines are cut around the column of the error. */
const WIDTH = 100;

/**
 * Returns the line of a file that an error refers to, and a caret below its column. Empty if the error has no line, if the line does not
 * exist or is blank, and for a secret in plain text.
 * @param lines Lines of that file, split at line feeds.
 */
export function excerptOf({ code, where: { line, column = 1 } }: PlumblineError, lines: readonly string[], paint: Paint): string[] {
  if (line === undefined || code === "plaintext-secret") return [];
  const sourceLine = lines[line - 1]?.replace(/\r$/, "");
  if (sourceLine === undefined || sourceLine.trim() === "") return [];
  const from = Math.max(0, Math.min(column - WIDTH / 2, sourceLine.length - WIDTH));
  const shown = sourceLine.slice(from, from + WIDTH).replaceAll("\t", " ");
  const number = String(line);
  const rule = paint("dim", "│");
  const caret = " ".repeat(Math.max(0, column - 1 - from));
  return [`      ${paint("dim", number)} ${rule} ${shown}`, `      ${" ".repeat(number.length)} ${rule} ${caret}${paint("red", "^")}`];
}
