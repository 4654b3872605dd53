import type { CommitOptions, CommitResult, Commits, Progress, SettledJob } from "../../engine/write-target.js";
import type { Configurations } from "./configurations.js";

/** Commits the candidate in memory as numbered jobs. */
export class MemoryCommits implements Commits {
  readonly #configurations: Configurations;
  readonly #administrator: string;
  readonly #jobs: SettledJob[] = [];

  constructor(configurations: Configurations, administrator: string) {
    this.#configurations = configurations;
    this.#administrator = administrator;
  }

  async validate(progress: Progress): Promise<CommitResult> {
    progress({ job: "validate", percent: 100, status: "FIN" });
    return { outcome: "committed", job: undefined, lines: [] };
  }

  async commit(options: CommitOptions, progress: Progress): Promise<CommitResult> {
    const committed = this.#configurations.pending.filter(({ administrator }) => !options.partial || administrator === this.#administrator);
    if (committed.length === 0) return { outcome: "nothing", job: undefined, lines: [] };
    const job = String(this.#jobs.length + 1);
    progress({ job, percent: 0, status: "ACT" });
    const result = this.#finish(job, options);
    progress({ job, percent: 100, status: "FIN" });
    return result;
  }

  async revert(): Promise<void> {
    this.#configurations.revert(this.#administrator);
  }

  async settleJobs(prefix: string): Promise<readonly SettledJob[]> {
    return this.#jobs.filter((job) => job.description.startsWith(prefix));
  }

  #finish(job: string, { description, partial }: CommitOptions): CommitResult {
    try {
      this.#configurations.commit(partial ? this.#administrator : undefined);
    } catch (error) {
      const lines = [error instanceof Error ? error.message : String(error)];
      this.#jobs.push({ job, description, ok: false, lines });
      return { outcome: "failed", job, lines };
    }
    this.#jobs.push({ job, description, ok: true, lines: [] });
    return { outcome: "committed", job, lines: [] };
  }
}
