import { CLEAR_LINE, type Paint, plain } from "../report/style.js";
import type { Output } from "./context.js";
import { ProgressRate } from "./progress-rate.js";

/** A number of completed items and their total. */
export interface Counted {
  readonly done: number;
  readonly all: number;
}

/** Milliseconds. Shorter steps print no line. */
const QUIET_MS = 1000;

/**
 * One line of progress on standard error. It is rewritten in place on a terminal. Otherwise, and without colour, each step prints a line.
 * Steps that end within a second print nothing. On a terminal it includes counts, rate and remaining time. Existing packages are not used:
 * they write only to the output of the process, or are unmaintained.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #paint: Paint;
  readonly #isRewritten: boolean;
  #timer: NodeJS.Timeout | undefined;
  readonly #ofTargets: ProgressRate;
  readonly #ofStep: ProgressRate;
  #targets = { begun: 0, ended: 0 };
  #shown = "";
  #text = "";

  /** @param now Milliseconds of a monotonic clock. */
  constructor(output: Output, paint: Paint, now = () => performance.now()) {
    this.#ofTargets = new ProgressRate(now);
    this.#ofStep = new ProgressRate(now);
    this.#output = output;
    this.#paint = paint;
    this.#isRewritten = output.isTTY === true && paint !== plain;
  }

  /** @param counted Progress of the step. Only shown if at most one target is at work. */
  update(text: string, counted?: Counted): void {
    this.#text = this.#isRewritten ? this.#counting(text, counted) : text;
    if (this.#shown !== "") this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), QUIET_MS).unref();
  }

  #counting(text: string, counted: Counted | undefined): string {
    const { begun, ended } = this.#targets;
    if (begun > 1) return `targets ${this.#ofTargets.words(ended, begun)} · ${text}`;
    return counted === undefined ? text : `${text} ${this.#ofStep.words(counted.done, counted.all)}`;
  }

  /** Adds to the numbers of targets that have begun and ended. */
  tally(begun: number, ended: number): void {
    this.#targets = { begun: this.#targets.begun + begun, ended: this.#targets.ended + ended };
  }

  /** Clears the line, so that a report starts on an empty one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#shown !== "" && this.#isRewritten) this.#output.write(CLEAR_LINE);
    this.#shown = "";
  }

  #draw(): void {
    if (this.#text === this.#shown) return;
    this.#shown = this.#text;
    const { columns } = this.#output;
    const whole = `… ${this.#text}`;
    // A line that wraps cannot be cleared.
    const fits = !this.#isRewritten || columns === undefined || whole.length < columns;
    const line = this.#paint("dim", fits ? whole : `${whole.slice(0, Math.max(1, columns - 2))}…`);
    this.#output.write(this.#isRewritten ? `${CLEAR_LINE}${line}` : `${line}\n`);
  }
}
