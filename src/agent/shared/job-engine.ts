import { EventEmitter } from "node:events";
import type { Pool } from "pg";
import type { AgentClock } from "../clock.js";
import { type Runner, run, type WorkerEvents } from "../store/shared/job-queue.js";
import { QUIET } from "../store/shared/quiet.js";
import { VISIT, type VisitPayload } from "../store/shared/sql.js";
import { patient } from "./patient-pool.js";

export interface JobEngineOptions {
  readonly pool: Pool;
  readonly clock: AgentClock;
  readonly concurrency: () => number;
  readonly visit: (job: VisitPayload) => Promise<void>;
  /** Jobs that a worker of ours held when it ended are anybody's. */
  readonly unlock: (worker: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** How often workers ask for jobs that nobody has told them of: those whose time has come. Milliseconds. */
const POLL = 1000;
const AGAIN = 2000;

/** graphile-worker, for as long as it is wanted: begun again when it ends by itself. */
export class JobEngine {
  readonly #options: JobEngineOptions;
  #wanted = false;
  #runner: Runner | undefined;
  #kept: Promise<void> | undefined;
  #worker: string | undefined;
  #nap = new AbortController();
  readonly #closing = new AbortController();
  readonly #pool: Pool;

  constructor(options: JobEngineOptions) {
    this.#options = options;
    this.#pool = patient(options.pool, options.clock, this.#closing.signal);
  }

  /** This process in the job queue. */
  get worker(): string | undefined {
    return this.#worker;
  }

  /** Takes jobs, or no more of them; what is under way is brought to its end. */
  want(jobs: boolean): void {
    if (this.#wanted === jobs) return;
    this.#wanted = jobs;
    if (jobs) this.#kept ??= this.#keep();
    else this.#end();
  }

  async close(): Promise<void> {
    this.want(false);
    this.#closing.abort();
    await this.#kept;
  }

  #end(): void {
    this.#nap.abort();
    // It rejects where it is ending already.
    this.#runner?.stop().catch(() => undefined);
  }

  async #keep(): Promise<void> {
    const { clock, onFailure } = this.#options;
    while (this.#wanted) {
      try {
        await this.#once();
      } catch (error) {
        onFailure(error);
      }
      this.#nap = new AbortController();
      if (this.#wanted) await clock.sleep(AGAIN * clock.random(), this.#nap.signal);
    }
    this.#kept = undefined;
  }

  async #once(): Promise<void> {
    const { concurrency, visit, unlock } = this.#options;
    const events: WorkerEvents = new EventEmitter();
    events.on("pool:create", ({ workerPool }) => {
      this.#worker = workerPool.id;
    });
    try {
      const taskList = { [VISIT]: (payload: unknown) => visit(payload as VisitPayload) };
      const runner = await run({
        pgPool: this.#pool,
        concurrency: concurrency(),
        pollInterval: POLL,
        noHandleSignals: true,
        // Ends of jobs that cannot be noted are told to the pool then, and do not end the process.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
        logger: QUIET,
        events,
        taskList,
      });
      this.#runner = runner;
      if (!this.#wanted) this.#end();
      await runner.promise;
    } finally {
      this.#runner = undefined;
      const worker = this.#worker;
      this.#worker = undefined;
      if (worker !== undefined) await unlock(worker);
    }
  }
}
