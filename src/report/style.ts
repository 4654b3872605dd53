import { styleText } from "node:util";

export type Colour = "green" | "red" | "yellow" | "cyan" | "gray" | "bold" | "dim" | "magenta";

/** Paints text, or leaves it plain. Chosen once, where the stream and `NO_COLOR` are known. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_colour, text) => text;

/** @internal Exported for tests of what colours say. */
export const coloured: Paint = (colour, text) => styleText(colour, text, { validateStream: false });

/** Colour on a terminal unless `NO_COLOR` is set (to anything) or `--no-color` was given; `FORCE_COLOR` wins over the terminal test. */
export function choosePaint(
  stream: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
  wanted = true,
): Paint {
  if (!wanted || (environment.NO_COLOR ?? "") !== "") return plain;
  if ((environment.FORCE_COLOR ?? "0") !== "0") return coloured;
  return stream.isTTY === true && environment.TERM !== "dumb" ? coloured : plain;
}
