import type { Pool } from "pg";
import type { AgentClock } from "../clock.js";

export interface JobEngineOptions<Due> {
  /** For the one connection that listens. */
  readonly pool: Pool;
  readonly clock: AgentClock;
  readonly concurrency: () => number;
  /** Up to so many visits that are due. */
  readonly take: (most: number) => Promise<readonly Due[]>;
  readonly visit: (due: Due) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** How often it asks for visits that nobody has told it of: those whose time has come. Milliseconds. */
const POLL = 1000;
const AGAIN = 2000;
/** What the queue's `add_job` tells all who listen. */
const PLANNED = "jobs:insert";

/** Takes visits that are due, as many at once as there is room for, for as long as that is wanted. */
export class JobEngine<Due> {
  readonly #options: JobEngineOptions<Due>;
  readonly #running = new Set<Promise<void>>();
  /** Of what is under way: something was planned meanwhile, maybe for the same target, which nobody else could visit. */
  #toldDuring = new Set<Promise<void>>();
  #wanted = false;
  /** The last look brought as many as there was room for. */
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

  /** Takes visits, or no more of them; what is under way is brought to its end. */
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
    // What was being taken meanwhile is under way only now.
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

  /** A connection that is lost is made again; until then what is planned is found by asking. */
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
          // Told to close while it connected: nobody tells it again.
          if (signal.aborted) end();
        });
        client.on("notification", () => this.#told());
        await client.query(`listen "${PLANNED}"`);
        this.#told();
        await over;
        client.release(true);
      } catch {
        // Who takes visits says that the database is away.
      }
      if (!signal.aborted) await clock.sleep(AGAIN * clock.random(), signal);
    }
  }

  #told(): void {
    this.#toldDuring = new Set(this.#running);
    this.#look();
  }
}
