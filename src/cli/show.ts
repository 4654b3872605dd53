import { printJson } from "../core/json/print.js";
import type { Context } from "./context.js";
import type { PlainFormat } from "./options.js";

/** Prints one JSON value, or the text, which ends with a newline. */
export function show({ format }: PlainFormat, { stdout }: Context, value: () => object, text: () => string): void {
  stdout.write(format === "json" ? `${printJson(value(), 2)}\n` : text());
}
