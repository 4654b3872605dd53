import { formatWhere, type PlumblineError } from "../core/errors.js";
import type { Paint } from "./style.js";

const WORDS: Record<PlumblineError["severity"], string> = { error: "error", refused: "refused", partial: "partly applied" };

/** Formats an error in three parts: message, place (followed by the lines of `excerpt`) and next action. */
export function errorLines(error: PlumblineError, paint: Paint, word = WORDS[error.severity], excerpt: readonly string[] = []): string[] {
  const where = formatWhere(error.where);
  const lines = [`  ${paint(word === "warning" ? "yellow" : "red", word)} ${error.message} ${paint("dim", `[${error.code}]`)}`];
  if (where !== "") lines.push(`    at ${where}`);
  lines.push(...excerpt);
  if (error.next !== undefined) lines.push(`    ${error.next}`);
  return lines;
}
