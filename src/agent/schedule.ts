import { PRIORITY, type Priority, priorityOf } from "./priority.js";
import type { Trigger } from "./store/store.js";

export interface Due {
  readonly target: string;
  readonly trigger: Trigger;
  readonly priority: Priority;
  /** Due time, on the monotonic clock. */
  readonly at: number;
}

interface PlanOptions {
  readonly priority?: Priority;
  /** Replaces an earlier entry. */
  readonly replace?: boolean;
}

/** Next visit of each target. A target has one entry, and an earlier time replaces a later one. */
export class Schedule {
  readonly #entries = new Map<string, Due>();
  #heap: Due[] = [];
  /** Due entries by priority, in the order of their times. */
  readonly #ripe = Object.values(PRIORITY)
    .sort((a, b) => a - b)
    .map((priority) => ({ priority, entries: new Set<Due>() }));

  /** Plans a visit. `at` is on the monotonic clock. An entry that replaces a due one keeps the higher priority. */
  plan(target: string, at: number, trigger: Trigger, { priority = priorityOf(trigger), replace = false }: PlanOptions = {}): void {
    const known = this.#entries.get(target);
    const isEarlier = known !== undefined && known.at <= at;
    if (isEarlier && !replace) return;
    const most = Math.min(priority, isEarlier ? known.priority : priority) as Priority;
    const entry = { target, at, trigger, priority: most };
    this.#entries.set(target, entry);
    this.#push(entry);
  }

  /** Returns the time of a target's next visit. */
  at(target: string): number | undefined {
    return this.#entries.get(target)?.at;
  }

  drop(target: string): void {
    this.#entries.delete(target);
  }

  /** Removes and returns due targets, in the order of their priorities and times. Busy targets are skipped. */
  take(now: number, most: number, isBusy: (target: string) => boolean): Due[] {
    this.#ripen(now);
    const taken: Due[] = [];
    for (const { entries } of this.#ripe) {
      for (const entry of entries) {
        if (taken.length >= most) return taken;
        if (this.#isCurrent(entry) && isBusy(entry.target)) continue;
        entries.delete(entry);
        if (!this.#isCurrent(entry)) continue;
        this.#entries.delete(entry.target);
        taken.push(entry);
      }
    }
    return taken;
  }

  /** Returns the time of a due target, or the earliest later time. Busy targets wake the loop when they end. */
  next(isBusy: (target: string) => boolean): number | undefined {
    for (const { entries } of this.#ripe) {
      for (const entry of entries) if (this.#isCurrent(entry) && !isBusy(entry.target)) return entry.at;
    }
    const first = this.#first();
    if (first === undefined || !isBusy(first.target)) return first?.at;
    let earliest: number | undefined;
    for (const { target, at } of this.#entries.values()) {
      if (!isBusy(target) && (earliest === undefined || at < earliest)) earliest = at;
    }
    return earliest;
  }

  #ripen(now: number): void {
    for (let first = this.#first(); first !== undefined && first.at <= now; first = this.#first()) {
      const { priority } = first;
      this.#pop();
      this.#ripe.find((each) => each.priority === priority)?.entries.add(first);
    }
  }

  #isCurrent(entry: Due): boolean {
    return this.#entries.get(entry.target) === entry;
  }

  #first(): Due | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#isCurrent(first)) return first;
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
