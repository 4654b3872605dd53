import { type Logger, pino } from "pino";
import { cutText } from "../core/cut-text.js";
import { oneLine } from "../core/printable.js";
import { CLEAR_LINE, type Paint, plain } from "../report/style.js";
import type { Output } from "./context.js";

/**
 * Log lines on standard error: JSON for machines, a sentence for the person at a terminal, or as `format` says. Secrets cannot reach it: they
 * are values that print as their label.
 */
export function loggerFor(level: string, output: Output, paint: Paint = plain, format?: "text" | "json"): Logger {
  const isTerminal = output.isTTY === true;
  const isText = (format ?? (isTerminal ? "text" : "json")) === "text";
  // A terminal may show a progress line.
  const clear = isTerminal ? CLEAR_LINE : "";
  const write = (text: string) => {
    const line = text.length <= SHORT ? text : withoutLongTexts(text);
    output.write(isText ? `${clear}${sentence(line, paint)}` : line);
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

/** Characters of a line that cannot contain a text that must be cut. */
const SHORT = 2_000;

/** The same line, in which every long text is cut. */
function withoutLongTexts(line: string): string {
  return `${JSON.stringify(JSON.parse(line, (_, value: unknown) => (typeof value === "string" ? cutText(value) : value)))}\n`;
}

const WORDS: Readonly<Record<number, readonly ["dim" | "yellow" | "red", string]>> = {
  20: ["dim", "debug"],
  30: ["dim", "info"],
  40: ["yellow", "warning"],
  50: ["red", "error"],
};

/** `  warning the words  (target edge)`, as reports have it. */
function sentence(line: string, paint: Paint): string {
  const { level, time: _, msg = "", ...fields } = JSON.parse(line) as Record<string, unknown>;
  const [colour, word] = WORDS[Number(level)] ?? ["red", "fatal"];
  const more = Object.entries(fields).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return `${oneLine(`  ${paint(colour, word)} ${String(msg)}${more.length === 0 ? "" : paint("dim", `  (${more.join(", ")})`)}`)}\n`;
}
