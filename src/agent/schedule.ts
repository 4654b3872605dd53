import type { Trigger } from "./store/store.js";

export interface Due {
  readonly target: string;
  readonly trigger: Trigger;
  /** Due time, on the monotonic clock. */
  readonly at: number;
}

/** Next visit of each target. A target has one entry, and an earlier time replaces a later one. */
export class Schedule {
  readonly #entries = new Map<string, Due>();
  #heap: Due[] = [];

  /** Plans a visit. `at` is on the monotonic clock. An earlier entry is kept unless `replace` is set. */
  plan(target: string, at: number, trigger: Trigger, replace = false): void {
    const known = this.#entries.get(target);
    if (known !== undefined && known.at <= at && !replace) return;
    const entry = { target, at, trigger };
    this.#entries.set(target, entry);
    this.#push(entry);
  }

  drop(target: string): void {
    this.#entries.delete(target);
  }

  /** Removes and returns due targets, in the order of their times. Busy targets are skipped. */
  take(now: number, most: number, isBusy: (target: string) => boolean): Due[] {
    const taken: Due[] = [];
    const busy: Due[] = [];
    for (let first = this.#first(); taken.length < most && first !== undefined && first.at <= now; first = this.#first()) {
      this.#pop();
      if (isBusy(first.target)) busy.push(first);
      else {
        this.#entries.delete(first.target);
        taken.push(first);
      }
    }
    for (const entry of busy) this.#push(entry);
    return taken;
  }

  /** Returns the earliest time of a target that is not busy. Busy targets wake the loop when they end. */
  next(isBusy: (target: string) => boolean): number | undefined {
    const first = this.#first();
    if (first === undefined || !isBusy(first.target)) return first?.at;
    let earliest: number | undefined;
    for (const { target, at } of this.#entries.values()) {
      if (!isBusy(target) && (earliest === undefined || at < earliest)) earliest = at;
    }
    return earliest;
  }

  #first(): Due | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#entries.get(first.target) === first) return first;
      this.#pop();
    }
  }

  #push(entry: Due): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Due;
      if (parent.at <= entry.at) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && (heap[below + 1] as Due).at < (heap[below] as Due).at) below += 1;
      const child = heap[below] as Due;
      if (child.at >= last.at) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}
