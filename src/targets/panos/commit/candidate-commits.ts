import { PlumblineError } from "../../../core/errors.js";
import type { CommitOptions, CommitResult, Commits, Progress, SettledJob } from "../../../engine/write-target.js";
import type { PanosClient } from "../client/client.js";
import { commitCommand, revertOwnChanges, showAllJobs, validateFull, validateOwn } from "../client/commands.js";
import type { PanosRequest } from "../client/request.js";
import { isManager } from "../is-manager.js";
import type { WriterParts } from "../write/writer-parts.js";
import { runJob } from "./enqueue.js";
import { type Job, readJob } from "./job.js";
import type { JobWatch, WatchBounds } from "./watch-job.js";
import { watchJob } from "./watch-job.js";

const NOT_PUSHED = "committed on the manager: its firewalls get it by a push, which is not done here";

/** Validates, commits and reverts the candidate, as jobs of the device. */
export class CandidateCommits implements Commits {
  readonly #parts: WriterParts;
  readonly #bounds: WatchBounds;
  readonly #isPushed: boolean;

  /** `isPushed`: Plumbline also pushes the commit to the firewalls, so the result needs no hint about a push. */
  constructor(parts: WriterParts, bounds: WatchBounds, isPushed: boolean) {
    this.#parts = parts;
    this.#bounds = bounds;
    this.#isPushed = isPushed;
  }

  /**
   * Outcomes: `committed` for a valid candidate, `failed` if a commit would be refused, `nothing` if the device cannot validate. Only this
   * administrator's changes are validated, as in the commit, if the device supports that.
   */
  async validate(progress: Progress): Promise<CommitResult> {
    const { client, capabilities } = await this.#parts.session.current();
    if (!capabilities.validate) return { outcome: "nothing", job: undefined, lines: [] };
    const run = (command: PanosRequest) => runJob(client, command, this.#watch(progress));
    if (!capabilities.partialCommit) return run(validateFull);
    return await run(validateOwn(await this.#parts.name.sure())).catch((error: unknown) => {
      if (error instanceof PlumblineError && error.code === "command-refused") return run(validateFull);
      throw error;
    });
  }

  async commit(options: CommitOptions, progress: Progress): Promise<CommitResult> {
    const { client, capabilities, identity } = await this.#parts.session.current();
    const administrator = options.partial && capabilities.partialCommit ? await this.#parts.name.sure() : undefined;
    const command = commitCommand(capabilities.beyondSpecification ? options.description : undefined, administrator);
    const result = await runJob(client, command, this.#watch(progress));
    if (result.outcome !== "failed") this.#parts.wrote = false;
    return result.outcome === "committed" && isManager(identity) && !this.#isPushed
      ? { ...result, lines: [...result.lines, NOT_PUSHED] }
      : result;
  }

  async revert(): Promise<void> {
    const { client } = await this.#parts.session.current();
    await client.run(revertOwnChanges(await this.#parts.name.sure()));
    this.#parts.wrote = false;
  }

  async settleJobs(prefix: string, progress: Progress): Promise<readonly SettledJob[]> {
    const { client } = await this.#parts.session.current();
    return settleJobs(client, await this.#parts.name.get(), prefix, this.#watch(progress));
  }

  #watch(progress: Progress): JobWatch {
    return { clock: this.#parts.dependencies.clock, bounds: this.#bounds, progress };
  }
}

/**
 * Waits for queued and active jobs of this administrator or with a matching description. Returns the finished jobs whose description starts
 * with `prefix`, oldest first. Empty if the device has no job list.
 */
async function settleJobs(client: PanosClient, administrator: string, prefix: string, watch: JobWatch): Promise<readonly SettledJob[]> {
  const reply = await client.runIfSupported(showAllJobs);
  const jobs = (reply?.result?.children ?? []).filter((child) => child.tag === "job").map(readJob);
  const settled: Job[] = [];
  for (const job of jobs) {
    const marked = job.description.startsWith(prefix);
    if (job.status === "FIN") {
      if (marked) settled.push(job);
    } else if (job.id !== "" && (marked || isOwnJob(job, administrator))) {
      const ended = await watchJob(client, job.id, watch);
      if (ended !== undefined && marked) settled.push(ended);
    }
  }
  return settled
    .sort((a, b) => Number(a.id) - Number(b.id))
    .map(({ id, description, result, lines, finished }) => ({ job: id, description, ok: result === "OK", lines, finished }));
}

/** Downloads and reports of this administrator do not need to be waited for. */
function isOwnJob({ user, type }: Job, administrator: string): boolean {
  return user === administrator && /commit|validate|revert|load/i.test(type);
}
