import { EventEmitter } from "node:events";
import type { Pool } from "pg";
import type { AgentClock } from "../clock.js";
import type { WorkerEvents } from "../store/shared/job-queue.js";
import { VISIT, type VisitPayload } from "../store/shared/sql.js";

export interface JobEngineOptions {
  /** Opens connections to the job queue. */
  readonly pool: (connections: number) => Pool;
  readonly clock: AgentClock;
  readonly concurrency: () => number;
  /** Runs a visit. `freeSlot` gives up its slot before the visit ends. */
  readonly visit: (job: VisitPayload, freeSlot: () => void) => Promise<unknown>;
  /** Number of running visits that have given up their slot. */
  readonly silent: () => number;
  /** Records the name of a runner in the queue before it takes a job, so that others can unlock its jobs if this process dies. */
  readonly enter: (runner: string) => Promise<void>;
  /** Unlocks the jobs that an ended runner could not complete. */
  readonly leave: (runner: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between two polls for visits that have become due. */
const POLL = 1000;
const RETRY_AFTER = 2000;
/** Of a runner. One listens for new jobs, the others take and complete jobs. */
const CONNECTIONS = 4;

/** Runs due visits with graphile-worker while `want` is set. */
export class JobEngine {
  readonly #options: JobEngineOptions;
  readonly #closing = new AbortController();
  readonly #runners: Promise<void>[] = [];
  readonly #running = new Set<Promise<void>>();
  #isWanted = false;
  #workers = 0;

  constructor(options: JobEngineOptions) {
    this.#options = options;
  }

  /** Starts or stops taking visits. Running visits are completed. */
  want(jobs: boolean): void {
    this.#isWanted = jobs;
    const missing = this.#options.concurrency() - this.#workers;
    if (!jobs || missing <= 0) return;
    // At least doubled, so that many small changes need few runners.
    const more = Math.max(missing, this.#workers);
    this.#workers += more;
    this.#runners.push(this.#keep(more));
  }

  async close(): Promise<void> {
    this.#isWanted = false;
    this.#closing.abort();
    await Promise.all(this.#runners);
    await Promise.all(this.#running);
  }

  /** A runner ends by itself if it cannot record the ends of jobs. It is then replaced. */
  async #keep(workers: number): Promise<void> {
    const { clock, onFailure } = this.#options;
    const { signal } = this.#closing;
    let isFailing = false;
    while (!signal.aborted) {
      const pool = this.#options.pool(CONNECTIONS);
      try {
        await this.#run(workers, pool);
        isFailing = false;
      } catch (error) {
        if (!isFailing) onFailure(error);
        isFailing = true;
      }
      await pool.end();
      if (!signal.aborted) await clock.sleep(RETRY_AFTER * clock.random(), signal);
    }
  }

  async #run(workers: number, pool: Pool): Promise<void> {
    const { enter, leave } = this.#options;
    const { Logger, run } = await import("../store/shared/job-queue.js");
    const events: WorkerEvents = new EventEmitter();
    const entered = new Promise<string>((done) => events.once("pool:create", ({ workerPool }) => done(workerPool.id))).then(async (id) => {
      await enter(id);
      return id;
    });
    const runner = await run({
      pgPool: pool,
      concurrency: workers,
      pollInterval: POLL,
      noHandleSignals: true,
      // Without a delay, a failure to record the end of a job is an unhandled rejection, which ends the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: new Logger(() => () => undefined),
      events,
      // Otherwise a file `crontab` in the working folder, which is possibly untrusted, could add jobs.
      parsedCronItems: [],
      taskList: { [VISIT]: (payload) => this.#visit(payload as VisitPayload) },
      forbiddenFlags: async () => {
        await entered;
        return this.#mayTake ? null : [VISIT];
      },
    });
    const ended = runner.promise.catch(this.#options.onFailure);
    const stop = () => void runner.stop().catch(() => undefined);
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    if (this.#closing.signal.aborted) stop();
    try {
      await entered;
      await ended;
    } finally {
      this.#closing.signal.removeEventListener("abort", stop);
      stop();
      await entered.then(leave);
    }
  }

  get #mayTake(): boolean {
    const { concurrency, silent } = this.#options;
    return this.#isWanted && this.#running.size - silent() < concurrency();
  }

  /** Resolves when the visit ends or gives up its slot. */
  #visit(job: VisitPayload): Promise<void> {
    const { visit, onFailure } = this.#options;
    return new Promise((done, fail) => {
      const running = visit(job, done)
        .finally(() => this.#running.delete(running))
        .then(
          () => done(),
          (error: unknown) => {
            onFailure(error);
            fail(error);
          },
        );
      this.#running.add(running);
    });
  }
}
