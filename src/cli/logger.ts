import { type Logger, pino } from "pino";
import { cutText } from "../core/cut-text.js";
import { oneLine } from "../core/printable.js";
import { CLEAR_LINE, type Paint, plain } from "../report/style.js";
import type { Output } from "./context.js";

/**
 * Writes log lines to standard error: text on a terminal, otherwise JSON, or as set by `format`. Secrets cannot appear, because they print
 * as their label.
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

/** Lines up to this length cannot contain a text that must be cut. */
const SHORT = 2_000;

/** Returns the line with every long text cut. */
function withoutLongTexts(line: string): string {
  return `${JSON.stringify(JSON.parse(line, (_, value: unknown) => (typeof value === "string" ? cutText(value) : value)))}\n`;
}

const WORDS: Readonly<Record<number, readonly ["dim" | "yellow" | "red", string]>> = {
  20: ["dim", "debug"],
  30: ["dim", "info"],
  40: ["yellow", "warning"],
  50: ["red", "error"],
};

/** Returns `  warning the words  (target edge)`, in the style of reports. */
function sentence(line: string, paint: Paint): string {
  const { level, time: _, msg = "", ...fields } = JSON.parse(line) as Record<string, unknown>;
  const [colour, word] = WORDS[Number(level)] ?? ["red", "fatal"];
  const more = Object.entries(fields).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return `${oneLine(`  ${paint(colour, word)} ${String(msg)}${more.length === 0 ? "" : paint("dim", `  (${more.join(", ")})`)}`)}\n`;
}
