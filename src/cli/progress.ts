import { CLEAR_LINE, type Paint, plain } from "../report/style.js";
import type { Output } from "./context.js";
import { Pace } from "./pace.js";

/** So many of so many. */
export interface Counted {
  readonly done: number;
  readonly all: number;
}

/** Steps shorter than this are not worth a line. */
const QUIET_MS = 1000;

/**
 * One line of progress on standard error: rewritten in place on a terminal, a line a step elsewhere and where output is to be plain,
 * and nothing at all for steps that end within a second. On a terminal with counts, rate and time left. No package is used for it: those
 * that draw bars write to the process's own output and cannot be told of another, or are no longer kept.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #paint: Paint;
  readonly #isRewritten: boolean;
  #timer: NodeJS.Timeout | undefined;
  readonly #ofTargets: Pace;
  readonly #ofStep: Pace;
  #targets = { begun: 0, ended: 0 };
  #shown = "";
  #text = "";

  /** `now`: milliseconds on a clock that only goes on. */
  constructor(output: Output, paint: Paint, now = () => performance.now()) {
    this.#ofTargets = new Pace(now);
    this.#ofStep = new Pace(now);
    this.#output = output;
    this.#paint = paint;
    this.#isRewritten = output.isTTY === true && paint !== plain;
  }

  /** `counted`: how far the step itself is; told where no more than one target is at work. */
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

  /** Work on so many targets has begun, or ended. */
  tally(begun: number, ended: number): void {
    this.#targets = { begun: this.#targets.begun + begun, ended: this.#targets.ended + ended };
  }

  /** Clears the line, so that a report starts on a clean one. */
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
    // A line that wraps cannot be cleared again.
    const fits = !this.#isRewritten || columns === undefined || whole.length < columns;
    const line = this.#paint("dim", fits ? whole : `${whole.slice(0, Math.max(1, columns - 2))}…`);
    this.#output.write(this.#isRewritten ? `${CLEAR_LINE}${line}` : `${line}\n`);
  }
}
