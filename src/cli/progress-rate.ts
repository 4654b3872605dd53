const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Computes progress, rate and remaining time. */
export class ProgressRate {
  readonly #now: () => number;
  #began: { readonly at: number; readonly done: number } | undefined;
  #last = 0;

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns `340 of 5000, 12/s, 6m left`. Rate and remaining time appear after one second. A smaller `done` restarts the measurement. */
  words(done: number, all: number): string {
    const at = this.#now();
    if (this.#began === undefined || done < this.#last) this.#began = { at, done };
    this.#last = done;
    const counts = `${done} of ${all}`;
    const passed = at - this.#began.at;
    const went = done - this.#began.done;
    if (passed < SECOND || went === 0 || done >= all) return counts;
    const perSecond = (went * SECOND) / passed;
    const rate = perSecond >= 1 ? `${Math.round(perSecond)}/s` : `${Math.max(1, Math.round(perSecond * 60))}/min`;
    return `${counts}, ${rate}, ${inWords(((all - done) * SECOND) / perSecond)} left`;
  }
}

function inWords(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.max(1, Math.round(milliseconds / SECOND))}s`;
  const minutes = Math.round(milliseconds / MINUTE);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}
