/** How a target of a wave came out: `waits` keeps the wave open, `left-out` lets the others go on without it. */
export type WaveResult = "done" | "failed" | "waits" | "left-out";

/** What follows from how a target came out. */
export interface WaveTurn {
  /** Targets of the next wave, once this one is over. */
  readonly next: readonly string[];
  /** The first failure of a wave. */
  readonly stopped: boolean;
  /** Targets that were too many at once until now. */
  readonly again?: readonly string[];
}

/** One commit on its way over many targets, wave by wave. */
export class Rollout {
  readonly commit: string;
  readonly waves: readonly (readonly string[])[];
  readonly #waveOf: ReadonlyMap<string, number>;
  #wave = 0;
  #open: Set<string>;
  #failed = new Set<string>();

  readonly #limit: number;

  /** `limit`: how many targets of the first wave may be written. */
  constructor(commit: string, waves: readonly (readonly string[])[], limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.commit = commit;
    this.waves = waves;
    this.#waveOf = new Map(waves.flatMap((wave, index) => wave.map((target) => [target, index] as const)));
    this.#open = new Set(waves[0]);
  }

  /** From 1. */
  get number(): number {
    return this.#wave + 1;
  }

  get isOver(): boolean {
    return this.#wave >= this.waves.length;
  }

  /** Targets that failed and keep the rest from its turn. */
  get failed(): readonly string[] {
    return [...this.#failed];
  }

  /** Targets of later waves. */
  get left(): readonly string[] {
    return this.waves.slice(this.#wave + 1).flat();
  }

  /** Targets that have not got the commit yet. */
  get unfinished(): readonly string[] {
    return this.isOver ? [] : [...this.#open, ...this.left];
  }

  /** Targets that the first wave, which has this one, still writes at once; undefined behind it. */
  atOnce(target: string): number | undefined {
    return this.#wave === 0 && this.#open.has(target) ? this.#open.size : undefined;
  }

  hasTurn(target: string): boolean {
    return (this.#waveOf.get(target) ?? 0) <= this.#wave;
  }

  /** Notes how a target came out. */
  ended(target: string, result: WaveResult): WaveTurn {
    const nothing = { next: [], stopped: false };
    if (!this.#open.has(target)) return nothing;
    if (result === "waits") return nothing;
    if (result === "failed") {
      const isFirst = this.#failed.size === 0;
      this.#failed.add(target);
      return { next: [], stopped: isFirst && this.left.length > 0 };
    }
    this.#open.delete(target);
    this.#failed.delete(target);
    if (this.#open.size > 0) return this.#wave === 0 && this.#open.size === this.#limit ? { ...nothing, again: [...this.#open] } : nothing;
    this.#wave += 1;
    this.#open = new Set(this.waves[this.#wave]);
    return { next: [...this.#open], stopped: false };
  }
}
