import type { Worker } from "node:worker_threads";
import { type PoolOptions, ThreadsPoolWorker, type WorkerRequest } from "vitest/node";

/** Number of runs of one thread before a new one replaces it, because mutants leave state behind. */
const RUNS = 100;

/** A private class of Vitest. */
interface Inside {
  _thread: Worker | undefined;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

let kept: Worker | undefined;
let runs = 0;

/**
 * A thread that outlives its run. Vitest ends the thread of each run, and the next one loads all sources again, which takes longer than the
 * tests of a mutant. A global variable selects the mutant at run time, so loaded sources serve all mutants except those in code that runs
 * while a module loads (`ignoreStatic` excludes them).
 */
export class ResidentWorker extends ThreadsPoolWorker {
  constructor(options: PoolOptions) {
    super(options);
    this.#inside._thread = kept;
    kept = undefined;
  }

  get #inside(): Inside {
    return this as unknown as Inside;
  }

  override send(message: WorkerRequest): void {
    const thread = this.#inside._thread;
    if (message.type !== "stop" || runs + 1 >= RUNS) super.send(message);
    else setImmediate(() => thread?.emit("message", { type: "stopped", __vitest_worker_response__: true }));
  }

  override async stop(): Promise<void> {
    runs += 1;
    if (runs >= RUNS) {
      runs = 0;
      return super.stop();
    }
    const { _thread: thread, stdout, stderr } = this.#inside;
    if (thread === undefined) return;
    for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
    thread.stdout.unpipe(stdout);
    thread.stderr.unpipe(stderr);
    for (const stream of [stdout, stderr]) stream.setMaxListeners(stream.getMaxListeners() - 1);
    kept = thread;
  }
}
