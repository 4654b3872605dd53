import type { KnownDrift } from "./events.js";

const HOUR = 3_600_000;

/**
 * Stops healing drift that returns repeatedly. Healing resumes when the drift is gone, a new commit arrives or a user resumes the target.
 */
export class HealGuard {
  readonly #limit: () => number;
  readonly #tripped = new Map<string, Set<string>>();
  readonly #forgotten = new Map<string, number>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Returns the time from which heals of the target count. */
  since(target: string, now: number): number {
    return Math.max(now - HOUR, this.forgotten(target) ?? 0);
  }

  /** Returns the time of the last new commit or resume. */
  forgotten(target: string): number | undefined {
    return this.#forgotten.get(target);
  }

  /** Returns drift that must not be healed. `heals` is the number of heals within the hour, by drift key. */
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

  /** Resets the target after a new commit or a resume. */
  forget(target: string, now: number): void {
    this.#tripped.delete(target);
    this.remember(target, now);
  }

  /** Sets the reset time that another process stored. Heals before `forgotten` do not count. */
  remember(target: string, forgotten: number | undefined): void {
    if (forgotten !== undefined) this.#forgotten.set(target, Math.max(forgotten, this.#forgotten.get(target) ?? 0));
  }
}
