import { type Paint, plain } from "../report/style.js";
import type { Output } from "./context.js";

/** Steps shorter than this are not worth a line. */
const QUIET_MS = 1000;

/**
 * One line of progress on standard error: rewritten in place on a terminal, a line a step elsewhere and where output is to be plain,
 * and nothing at all for steps that end within a second.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #paint: Paint;
  readonly #isRewritten: boolean;
  #timer: NodeJS.Timeout | undefined;
  #shown = "";
  #text = "";

  constructor(output: Output, paint: Paint) {
    this.#output = output;
    this.#paint = paint;
    this.#isRewritten = output.isTTY === true && paint !== plain;
  }

  update(text: string): void {
    this.#text = text;
    if (this.#shown !== "") this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), QUIET_MS).unref();
  }

  /** Clears the line, so that a report starts on a clean one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#shown !== "" && this.#isRewritten) this.#output.write("\r\x1b[2K");
    this.#shown = "";
  }

  #draw(): void {
    if (this.#text === this.#shown) return;
    this.#shown = this.#text;
    const { columns } = this.#output;
    const whole = `… ${this.#text}`;
    // A line that wraps cannot be cleared again.
    const fits = !this.#isRewritten || columns === undefined || whole.length < columns;
    const line = this.#paint("dim", fits ? whole : `${whole.slice(0, Math.max(1, columns - 2))}…`);
    this.#output.write(this.#isRewritten ? `\r\x1b[2K${line}` : `${line}\n`);
  }
}
