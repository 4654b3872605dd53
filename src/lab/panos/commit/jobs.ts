import type { Clock } from "../clock.js";
import type { Push } from "../manager/push.js";

export interface JobOutcome {
  readonly ok: boolean;
  readonly lines: readonly string[];
  readonly warnings?: readonly string[];
}

export interface Job {
  readonly id: number;
  readonly type: "AutoCom" | "Commit" | "Validate" | "CommitAll" | "ValidateAll" | "MoveDG";
  readonly user: string;
  readonly description: string;
  readonly enqueued: number;
  /** Milliseconds from start to end. Infinite for a job that never ends. */
  readonly duration: number;
  /** Effect of the job. Runs when the job ends. */
  readonly run: () => JobOutcome;
  /** Set for a manager's job that pushes to firewalls. */
  readonly push?: Push | undefined;
  started: number | undefined;
  finished: number | undefined;
  outcome: JobOutcome | undefined;
}

/**
 * Runs commits and validations one after another, in their order of arrival. There is no timer: each read calls `advance`, which ends
 * the jobs that are due by the clock. So the state of a job is a function of time.
 */
export class Jobs {
  readonly #clock: Clock;
  readonly #jobs = new Map<number, Job>();
  #order: Job[] = [];
  /** Index in `#order` of the first job that has not ended at the last `advance`. `#free` is the time at which its predecessor ended. */
  #first = 0;
  #free = Number.NEGATIVE_INFINITY;
  #next = 1;
  #endsAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the next job number. Log queries use the same numbers. */
  nextId(): number {
    return this.#next++;
  }

  /** Adds a job. `enqueued` defaults to now. It may be in the past if the lab notices an event late. */
  enqueue(job: Pick<Job, "type" | "user" | "description" | "duration" | "run" | "push"> & { readonly enqueued?: number }): Job {
    this.advance();
    const made: Job = {
      ...job,
      id: this.nextId(),
      enqueued: job.enqueued ?? this.#clock.now(),
      started: undefined,
      finished: undefined,
      outcome: undefined,
    };
    this.#jobs.set(made.id, made);
    this.#order.push(made);
    this.advance();
    return made;
  }

  /** End time of the job that is running its effect, otherwise undefined. The time may be in the past. */
  get endsAt(): number | undefined {
    return this.#endsAt;
  }

  /** Starts and ends the jobs that are due. */
  advance(): void {
    const now = this.#clock.now();
    for (let job = this.#order[this.#first]; job !== undefined; job = this.#order[this.#first]) {
      if (job.finished === undefined) {
        job.started ??= Math.max(job.enqueued, this.#free);
        if (job.started > now || job.started + job.duration > now) return;
        job.finished = job.started + job.duration;
        this.#endsAt = job.finished;
        job.outcome = job.run();
        this.#endsAt = undefined;
        continue;
      }
      this.#free = job.finished;
      this.#first++;
    }
  }

  get(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  all(): Job[] {
    return [...this.#jobs.values()];
  }

  /** Returns the jobs that have not ended, the active job first. */
  open(): Job[] {
    return this.all().filter((job) => job.finished === undefined);
  }

  /** Progress in percent; 100 only after the end. */
  progress(job: Job): number {
    if (job.finished !== undefined) return 100;
    if (job.started === undefined) return 0;
    return Math.min(99, Math.floor((100 * (this.#clock.now() - job.started)) / job.duration));
  }

  /** Forgets all jobs, like a device after a restart. Jobs that have not ended never end. */
  forget(): void {
    this.#jobs.clear();
    this.#order = [];
    this.#first = 0;
    this.#free = Number.NEGATIVE_INFINITY;
  }

  /** Ends a job immediately with this outcome: the job was cancelled, or a test releases it. */
  finish(job: Job, outcome: JobOutcome): void {
    job.started ??= this.#clock.now();
    job.finished = this.#clock.now();
    job.outcome = outcome;
  }
}
