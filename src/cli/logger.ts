import { type Logger, pino } from "pino";
import type { Output } from "./context.js";

/** Structured log lines on standard error. Secrets cannot reach it: they are values that print as their label. */
export function loggerFor(level: string, output: Output): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => void output.write(line) });
}
