/** Result of a target in a wave. `waits` keeps the wave open. `left-out` lets the other targets continue without this one. */
export type WaveResult = "done" | "failed" | "waits" | "left-out";

/** Consequence of a target's result. */
export interface WaveTurn {
  /** Targets of the next wave, if this one is complete. */
  readonly next: readonly string[];
  /** This is the first failure of the wave. */
  readonly stopped: boolean;
  /** Targets that a limit has blocked until now. */
  readonly repeated?: readonly string[];
}

/** Applies one commit to many targets in waves. */
export class Rollout {
  readonly commit: string;
  readonly waves: readonly (readonly string[])[];
  readonly #waveOf: ReadonlyMap<string, number>;
  #wave = 0;
  #open: Set<string>;
  #failed = new Set<string>();

  readonly #limit: number;
  readonly #silent: ReadonlySet<string>;

  /**
   * `limit`: maximum number of targets of the first wave that may be written. `silent`: targets that do not count for it, because only
   * an earlier commit changed them and they do not answer.
   */
  constructor(
    commit: string,
    waves: readonly (readonly string[])[],
    limit = Number.POSITIVE_INFINITY,
    silent: ReadonlySet<string> = new Set(),
  ) {
    this.#limit = limit;
    this.#silent = silent;
    this.commit = commit;
    this.waves = waves;
    this.#waveOf = new Map(waves.flatMap((wave, index) => wave.map((target) => [target, index] as const)));
    this.#open = new Set(waves[0]);
  }

  /** Number of the wave, from 1. */
  get number(): number {
    return this.#wave + 1;
  }

  get isOver(): boolean {
    return this.#wave >= this.waves.length;
  }

  /** Failed targets, which block the later waves. */
  get failed(): readonly string[] {
    return [...this.#failed];
  }

  /** Targets of this wave that do not have the commit yet. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** Targets of later waves. */
  get left(): readonly string[] {
    return this.waves.slice(this.#wave + 1).flat();
  }

  /** Targets that do not have the commit yet. */
  get unfinished(): readonly string[] {
    return this.isOver ? [] : [...this.#open, ...this.left];
  }

  /** Returns the number of open targets in the first wave, if it contains this target. Undefined in later waves. */
  atOnce(target: string): number | undefined {
    return this.#wave === 0 && this.#open.has(target) ? this.#counted(target) : undefined;
  }

  #counted(target?: string): number {
    return [...this.#open].filter((each) => each === target || !this.#silent.has(each)).length;
  }

  hasTurn(target: string): boolean {
    return (this.#waveOf.get(target) ?? 0) <= this.#wave;
  }

  /** Records the result of a target. */
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
    if (this.#open.size > 0)
      return this.#wave === 0 && this.#counted() === this.#limit ? { ...nothing, repeated: [...this.#open] } : nothing;
    this.#wave += 1;
    this.#open = new Set(this.waves[this.#wave]);
    return { next: [...this.#open], stopped: false };
  }
}
