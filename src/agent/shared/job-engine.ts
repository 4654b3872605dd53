import type { Pool } from "pg";
import type { AgentClock } from "../clock.js";

export interface JobEngineOptions<Due> {
  /** Connections, of which one listens. */
  readonly pool: Pool;
  readonly clock: AgentClock;
  readonly concurrency: () => number;
  /** Takes up to `most` due visits. */
  readonly take: (most: number) => Promise<readonly Due[]>;
  readonly visit: (due: Due) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between two polls for visits that have become due. */
const POLL = 1000;
const AGAIN = 2000;
/** Channel on which the queue's `add_job` notifies. */
const PLANNED = "jobs:insert";

/** Takes and runs due visits, up to the concurrency, while `want` is set. */
export class JobEngine<Due> {
  readonly #options: JobEngineOptions<Due>;
  readonly #running = new Set<Promise<void>>();
  /** Running visits during which a notification arrived. It may concern their target, which no other agent could visit. */
  #toldDuring = new Set<Promise<void>>();
  #wanted = false;
  /** The last poll returned as many visits as there were free slots. */
  #isMore = false;
  #isLookedFor = false;
  #wake: () => void = () => undefined;
  #isFailing = false;
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined;
  #kept: Promise<void> | undefined;

  constructor(options: JobEngineOptions<Due>) {
    this.#options = options;
  }

  /** Starts or stops taking visits. Running visits are completed. */
  want(jobs: boolean): void {
    if (this.#wanted === jobs) return;
    this.#wanted = jobs;
    this.#look();
    if (!jobs) return;
    this.#listening ??= this.#listen();
    this.#kept ??= this.#keep();
  }

  async close(): Promise<void> {
    this.want(false);
    this.#closing.abort();
    await Promise.all([this.#kept, this.#listening]);
    // A poll in progress may still have started visits.
    await Promise.all(this.#running);
  }

  async #keep(): Promise<void> {
    const { clock, concurrency } = this.#options;
    while (this.#wanted) {
      const room = concurrency() - this.#running.size;
      if (room > 0) await this.#take(room);
      if (this.#wanted && !(room > 0 && this.#isLookedFor)) await this.#nextLook(POLL * (0.75 + clock.random() / 4));
    }
    this.#kept = undefined;
  }

  async #take(room: number): Promise<void> {
    const { take, visit, onFailure, clock } = this.#options;
    this.#isLookedFor = false;
    try {
      const due = await take(room);
      this.#isFailing = false;
      this.#isMore = due.length === room;
      for (const each of due) this.#run(visit(each).catch(onFailure));
    } catch (error) {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
      await clock.sleep(AGAIN * clock.random(), this.#closing.signal);
    }
  }

  #run(visit: Promise<void>): void {
    const running = visit.finally(() => {
      this.#running.delete(running);
      if (this.#toldDuring.delete(running) || this.#isMore) this.#look();
    });
    this.#running.add(running);
  }

  #look(): void {
    this.#isLookedFor = true;
    this.#wake();
  }

  async #nextLook(wait: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((wake) => {
      this.#wake = wake;
      timer = setTimeout(wake, wait);
    });
    clearTimeout(timer);
  }

  /** Listens for notifications and reconnects after a loss. Until then, polls find the visits. */
  async #listen(): Promise<void> {
    const { pool, clock } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const client = await pool.connect();
        const over = new Promise<void>((end) => {
          client.once("end", end);
          client.once("error", () => end());
          signal.addEventListener("abort", () => end(), { once: true });
          // If the engine closed during the connect, no abort event follows.
          if (signal.aborted) end();
        });
        client.on("notification", () => this.#told());
        await client.query(`listen "${PLANNED}"`);
        this.#told();
        await over;
        client.release(true);
      } catch {
        // The poll reports that the database is unreachable.
      }
      if (!signal.aborted) await clock.sleep(AGAIN * clock.random(), signal);
    }
  }

  #told(): void {
    this.#toldDuring = new Set(this.#running);
    this.#look();
  }
}
