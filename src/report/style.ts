import { randomUUID } from "node:crypto";
import { inspect } from "node:util";

export type Colour = "green" | "red" | "yellow" | "cyan" | "gray" | "bold" | "dim" | "magenta";

/** Paints text, or returns it unchanged. Chosen once for a stream and `NO_COLOR`. */
export type Paint = (colour: Colour, text: string) => string;

/** Starts a control sequence of our own. It is random, so text from outside cannot contain it. */
const MARK = `\u{e000}${randomUUID()}`;

/** Erases the line of the cursor, and moves the cursor to its start. */
export const CLEAR_LINE = `${MARK}2K${MARK}1G`;

export const plain: Paint = (_colour, text) => text;

/** @internal Exported for tests of colours. The result is shown with `showMarks`. */
export const coloured: Paint = (colour, text) => {
  const [open, close] = inspect.colors[colour] ?? [];
  return `${MARK}${open}m${text}${MARK}${close}m`;
};

/** Replaces the marks of our own control sequences by ESC. All other control characters must be escaped before. */
export function showMarks(text: string): string {
  return text.replaceAll(MARK, "\u001b[");
}

/** Uses colour on a terminal unless `NO_COLOR` is not empty or `--no-color` was given. `FORCE_COLOR` overrides the terminal check. */
export function choosePaint(
  stream: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
  wanted = true,
): Paint {
  if (!wanted || (environment.NO_COLOR ?? "") !== "") return plain;
  if ((environment.FORCE_COLOR ?? "0") !== "0") return coloured;
  return stream.isTTY === true && environment.TERM !== "dumb" ? coloured : plain;
}
