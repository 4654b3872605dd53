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
  /** Milliseconds from start to end; infinite for a job that never ends. */
  readonly duration: number;
  /** What the job does when it ends. */
  readonly run: () => JobOutcome;
  /** Of a manager's job that sends to firewalls. */
  readonly push?: Push | undefined;
  started: number | undefined;
  finished: number | undefined;
  outcome: JobOutcome | undefined;
}

/**
 * Commits and validations, one after another in the order they came. Nothing runs by itself: whoever looks first calls
 * `advance`, which ends what is due by the clock, so that a job's state is a function of time.
 */
export class Jobs {
  readonly #clock: Clock;
  readonly #jobs = new Map<number, Job>();
  #order: Job[] = [];
  /** The first of the order that has not ended, as far as anybody looked, and when the one before it did. */
  #first = 0;
  #free = Number.NEGATIVE_INFINITY;
  #next = 1;
  #endsAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Numbers are shared with log queries. */
  nextId(): number {
    return this.#next++;
  }

  /** `enqueued`: a moment that may be past, where somebody looks late; now when left out. */
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

  /** While a job does what it does at its end: that moment, which may be past when somebody looks. */
  get endsAt(): number | undefined {
    return this.#endsAt;
  }

  /** Starts and ends what is due. */
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

  /** Jobs that did not end yet, the active one first. */
  open(): Job[] {
    return this.all().filter((job) => job.finished === undefined);
  }

  /** Percent done; 100 only at the end. */
  progress(job: Job): number {
    if (job.finished !== undefined) return 100;
    if (job.started === undefined) return 0;
    return Math.min(99, Math.floor((100 * (this.#clock.now() - job.started)) / job.duration));
  }

  /** As a device that was started again: what had not ended never does. */
  forget(): void {
    this.#jobs.clear();
    this.#order = [];
    this.#first = 0;
    this.#free = Number.NEGATIVE_INFINITY;
  }

  /** Ends a job that was asked to stop, or that a test lets go, with this outcome. */
  finish(job: Job, outcome: JobOutcome): void {
    job.started ??= this.#clock.now();
    job.finished = this.#clock.now();
    job.outcome = outcome;
  }
}
