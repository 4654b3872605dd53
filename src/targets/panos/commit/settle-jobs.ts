import type { SettledJob } from "../../../engine/write-target.js";
import type { PanosClient } from "../client/client.js";
import { showAllJobs } from "../client/commands.js";
import { type Job, readJob } from "./job.js";
import { type JobWatch, watchJob } from "./watch-job.js";

/**
 * Waits for queued and active jobs of this administrator or with a matching description. Returns the finished jobs whose description starts
 * with `prefix`, oldest first. Empty if the device has no job list.
 */
export async function settleJobs(
  client: PanosClient,
  administrator: string,
  prefix: string,
  watch: JobWatch,
): Promise<readonly SettledJob[]> {
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
