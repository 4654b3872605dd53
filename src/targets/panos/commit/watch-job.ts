import type { Clock } from "../../../core/clock.js";
import { PlumblineError } from "../../../core/errors.js";
import { isLeaseLost } from "../../../core/write-lease.js";
import type { Progress } from "../../../engine/write-target.js";
import type { PanosClient } from "../client/client.js";
import { showJob } from "../client/commands.js";
import { descend, deviceMessage } from "../client/reply.js";
import { type Job, readJob } from "./job.js";

/** Milliseconds before the first polls of a job. Most jobs have ended by then. */
const FIRST_POLLS = [200, 500, 1_000];
/** Later polls. More frequent ones slow a job down (docs/contributing/devices/panos.md#commits-and-jobs). */
const LATER_POLLS = { first: 2_000, growth: 1.25, longest: 10_000 };

/** Returns the milliseconds to wait before the next poll of a job, after this number of polls. */
export function pollDelay(polls: number): number {
  const { first, growth, longest } = LATER_POLLS;
  return FIRST_POLLS[polls] ?? Math.min(first * growth ** (polls - FIRST_POLLS.length), longest);
}

export interface WatchBounds {
  /** Maximum duration of the job, in milliseconds. */
  readonly jobTimeout: number;
  /** Maximum time without a usable answer, in milliseconds. A commit restarts the management plane. */
  readonly jobSilence: number;
}

/** Result of a poll: the job, or the reason why its state is unknown. */
type Poll = Job | { readonly trouble: string; readonly unknownCommand: boolean };

export interface JobWatch {
  readonly clock: Clock;
  readonly bounds: WatchBounds;
  readonly progress: Progress;
}

/**
 * Watches a job to its end. Undefined if the device has no command for jobs; the specification has none. Throws `job-not-ended` after
 * `jobTimeout`, and `job-outcome-unknown` after `jobSilence` without a usable answer.
 */
export async function watchJob(
  client: PanosClient,
  id: string,
  { clock, bounds: { jobSilence, jobTimeout }, progress }: JobWatch,
): Promise<Job | undefined> {
  const started = clock.now();
  let lastReply = started;
  let shown = "";
  for (let polls = 0; ; polls++) {
    await clock.sleep(pollDelay(polls));
    const poll = await pollJob(client, id);
    const now = clock.now();
    if ("trouble" in poll) {
      if (poll.unknownCommand && shown === "") return undefined;
      if (now - lastReply > jobSilence) throw outcomeUnknown(client, id, poll.trouble);
    } else {
      lastReply = now;
      const state = `${poll.status} ${poll.percent}`;
      if (state !== shown) progress({ job: id, percent: poll.percent, status: poll.status });
      shown = state;
      if (poll.status === "FIN") return poll;
    }
    if (now - started > jobTimeout) throw notEnded(client, id, jobTimeout);
  }
}

/**
 * Errors are a normal state here: for some seconds after a commit, the management plane may return any error
 * (docs/contributing/devices/panos.md#commits-and-jobs).
 */
async function pollJob(client: PanosClient, id: string): Promise<Poll> {
  try {
    const reply = await client.attempt(showJob(id));
    const words = deviceMessage(reply);
    if (reply.outcome === "unsupported") return { trouble: words, unknownCommand: !/not found/i.test(words) };
    const node = descend(reply.result, "job");
    if (reply.outcome !== "done" || node === undefined) return trouble(words);
    const job = readJob(node);
    return job.status === "" ? trouble("the device no longer knows the state of the job") : job;
  } catch (error) {
    if (error instanceof PlumblineError && !isLeaseLost(error)) return trouble(error.message);
    throw error;
  }
}

function trouble(words: string): Poll {
  return { trouble: words, unknownCommand: false };
}

function outcomeUnknown(client: PanosClient, id: string, trouble: string): PlumblineError {
  return new PlumblineError("job-outcome-unknown", `the result of job ${id} is unknown: ${trouble}`, {
    where: { target: client.place.target },
    next: "Check the job on the device (show jobs id), then run again: the running configuration is compared before anything is repeated.",
  });
}

function notEnded(client: PanosClient, id: string, timeout: number): PlumblineError {
  return new PlumblineError("job-not-ended", `job ${id} has not ended after ${Math.round(timeout / 60_000)} minutes`, {
    where: { target: client.place.target },
    next: "Check the job on the device (show jobs id). Run again once it has ended or was stopped.",
  });
}
