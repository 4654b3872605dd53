import { PlumblineError } from "../core/errors.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { EventStream } from "./events.js";
import type { PassEnd, PassStart, Store } from "./store/store.js";

/** Enough for more than a day of a few targets. The oldest rows are dropped first. */
const MOST_WAITING = 2000;

/** Errors of a store that is full, busy or unreachable, and may recover. */
function isAway(error: unknown): boolean {
  return error instanceof PlumblineError && error.code.startsWith("store-");
}

/**
 * Writes passes to the store. A failure is reported once and clears `works`: an agent without a working store continues to read
 * targets and writes to none.
 */
export class Recorder {
  readonly #store: Store;
  readonly #events: EventStream;
  #failed = false;
  #newer: PlumblineError | undefined;
  /** Rows that are not stored yet, in order. */
  #waiting: ((store: Store) => Promise<unknown>)[] = [];
  #catchingUp = false;

  constructor(store: Store, events: EventStream) {
    this.#store = store;
    this.#events = events;
  }

  /** Set after a newer version of Plumbline has upgraded the store. This process must end: it does not know the new rows. */
  get newer(): PlumblineError | undefined {
    return this.#newer;
  }

  get works(): boolean {
    return !this.#failed;
  }

  async start(pass: PassStart): Promise<number | undefined> {
    return await this.write(() => this.#store.passes.start(pass), undefined);
  }

  /** Ends a pass. If its start was not stored, the complete pass is written now. */
  async finish(id: number | undefined, start: PassStart, end: PassEnd): Promise<void> {
    await this.keep(async ({ passes }) => {
      if (id === undefined) await passes.record(start, end);
      else await passes.finish(id, end);
    });
  }

  /** Writes a row that must not be lost. If the store fails, the row is written after it recovers. */
  async keep(work: (store: Store) => Promise<unknown>): Promise<void> {
    const isTaken = this.#waiting.length === 0 && (await this.write(async (store) => [await work(store)], undefined)) !== undefined;
    if (isTaken) return;
    if (this.#waiting.length === MOST_WAITING) this.#waiting.shift();
    this.#waiting.push(work);
    await this.#catchUp();
  }

  /** Reads from the store. Returns `otherwise` on failure. A successful read does not set `works`. */
  async read<T>(work: (store: Store) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work(this.#store);
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      return otherwise;
    }
  }

  /** Writes to the store. Returns `otherwise` on failure. */
  async write<T>(work: (store: Store) => Promise<T>, otherwise: T): Promise<T> {
    try {
      const result = await work(this.#store);
      await this.#taken();
      await this.#catchUp();
      return result;
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      return otherwise;
    }
  }

  async #taken(): Promise<void> {
    if (!this.#failed) return;
    this.#failed = false;
    await this.#events.emit({ type: "store-recovered" });
  }

  async #catchUp(): Promise<void> {
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await next(this.#store);
        this.#waiting.shift();
        await this.#taken();
      }
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      // A row that no store accepts must not block the rows after it.
      if (!isAway(error)) this.#waiting.shift();
    } finally {
      this.#catchingUp = false;
    }
  }

  async #fail(error: PlumblineError): Promise<void> {
    if (error.code === "store-newer") this.#newer = error;
    if (this.#failed) return;
    this.#failed = true;
    await this.#events.emit({ type: "store-failed", error });
  }
}
