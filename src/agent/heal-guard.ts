import type { KnownDrift } from "./events.js";

const HOUR = 3_600_000;

/**
 * Stops healing what comes back again and again: somebody, or something, wants it so. Once it has stopped it stays so
 * until the drift is gone, git moves, or somebody resumes the target.
 */
export class HealGuard {
  readonly #limit: () => number;
  readonly #tripped = new Map<string, Set<string>>();
  readonly #forgotten = new Map<string, number>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** From when on heals of the target count. */
  since(target: string, now: number): number {
    return Math.max(now - HOUR, this.forgotten(target) ?? 0);
  }

  /** When git moved, or a person spoke, last. */
  forgotten(target: string): number | undefined {
    return this.#forgotten.get(target);
  }

  /** Drift that must not be healed. `heals`: how often each was healed within the hour, by its key. */
  judge(
    target: string,
    drift: readonly KnownDrift[],
    heals: ReadonlyMap<string, number>,
  ): { drift: KnownDrift; heals: number; isNew: boolean }[] {
    const before = this.#tripped.get(target) ?? new Set<string>();
    const stopped = drift
      .map((each) => ({ drift: each, heals: heals.get(each.key) ?? 0, isNew: !before.has(each.key) }))
      .filter(({ drift: { key }, heals: count }) => before.has(key) || count >= this.#limit());
    if (stopped.length === 0) this.#tripped.delete(target);
    else this.#tripped.set(target, new Set(stopped.map(({ drift: { key } }) => key)));
    return stopped;
  }

  /** Begins anew: git has moved, or a person says so. */
  forget(target: string, now: number): void {
    this.#tripped.delete(target);
    this.remember(target, now);
  }

  /** What another process knew: heals before `forgotten` do not count. */
  remember(target: string, forgotten: number | undefined): void {
    if (forgotten !== undefined) this.#forgotten.set(target, Math.max(forgotten, this.#forgotten.get(target) ?? 0));
  }
}
