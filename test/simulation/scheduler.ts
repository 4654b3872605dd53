import type { Chance } from "./chance.js";

const { setImmediate: nextTurn } = globalThis;

interface Happening {
  readonly at: number;
  /** Of two events at the same time, the one with the smaller draw comes first. */
  readonly draw: number;
  /** The owner. */
  readonly process: Process | undefined;
  readonly happen: () => void;
}

/** A simulated process. After a kill it never continues: its waits do not end. */
export interface Process {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  isAlive: boolean;
  /** It is suspended until then. */
  stalledUntil?: number;
}

/**
 * The single clock of a simulation with all future events. Between two events only microtasks run, in a fixed order, so the seed determines
 * everything.
 */
export class Scheduler {
  /** Milliseconds since the history began. */
  now = 0;
  happened = 0;
  readonly #chance: Chance;
  readonly #heap: Happening[] = [];
  /** The process whose microtasks run. Each event continues one process, and all its microtasks end before the next event. */
  #process: Process | undefined;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  at(moment: number, happen: () => void): void {
    push(this.#heap, { at: Math.max(this.now, moment), draw: this.#chance.next(), process: this.#process, happen });
  }

  in(milliseconds: number, happen: () => void): void {
    this.at(this.now + milliseconds, happen);
  }

  get process(): Process | undefined {
    return this.#process;
  }

  /** Everything that happens from here to the next happening is done by that process. */
  as(process: Process): void {
    this.#process = process;
  }

  /** Waits. Never returns if the process that waits is killed in the meantime. */
  async wait(milliseconds: number): Promise<void> {
    const { process } = this;
    await new Promise<void>((resolve) => {
      this.in(milliseconds, () => this.resume(process, resolve));
    });
  }

  /** Continues a process: never if it was killed, later if it is suspended. */
  resume(process: Process | undefined, goOn: () => void): void {
    if (process?.isAlive === false) return;
    if (process?.stalledUntil !== undefined && process.stalledUntil > this.now)
      this.at(process.stalledUntil, () => this.resume(process, goOn));
    else goOn();
  }

  /** Runs all events that are due until then. */
  async run(until: number): Promise<void> {
    // Work that was just started continues until it waits.
    await settled();
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      pop(this.#heap);
      this.now = next.at;
      this.happened += 1;
      this.#process = next.process;
      next.happen();
      await settled();
    }
    this.#process = undefined;
    this.now = Math.max(this.now, until);
  }
}

/** When all microtasks have run. */
async function settled(): Promise<void> {
  await new Promise((done) => nextTurn(done));
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.draw < b.draw);
}

function push(heap: Happening[], happening: Happening): void {
  let at = heap.push(happening) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(happening, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = happening;
}

function pop(heap: Happening[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const smaller = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
    if (smaller === undefined || !isBefore(smaller, last)) break;
    const from = smaller === right ? 2 * at + 2 : 2 * at + 1;
    heap[at] = smaller;
    at = from;
  }
  heap[at] = last;
}
