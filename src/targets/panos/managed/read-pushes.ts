import type { RunningPush } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { showAllJobs, showJob } from "../client/commands.js";
import { descend } from "../client/reply.js";
import { isOver, PUSH_JOB, type PushJobState, readPushJob } from "../push/push-job.js";

/** Number of newest sent pushes to check: their firewalls may still be busy. */
const MAX_READ = 3;

/**
 * Reads the pushes of all administrators that have not ended, with their firewalls. It sends one request for the list, and one for each
 * running push and each of the newest sent ones.
 */
export async function readPushes(client: PanosClient): Promise<readonly RunningPush[]> {
  const reply = await client.runIfSupported(showAllJobs);
  const jobs = (reply?.result?.children ?? []).filter(({ tag }) => tag === "job").map(readPushJob);
  const pushes = jobs.filter(({ type }) => PUSH_JOB.test(type)).sort((a, b) => Number(b.id) - Number(a.id));
  const running = pushes.filter(({ status }) => status !== "FIN");
  const sent = pushes.filter(({ status }) => status === "FIN").slice(0, MAX_READ);
  const states = await Promise.all([...running, ...sent].map(async (job) => (await stateOf(client, job.id)) ?? job));
  return states.filter((state) => !isOver(state)).map(runningPush);
}

async function stateOf(client: PanosClient, id: string): Promise<PushJobState | undefined> {
  const reply = await client.attempt(showJob(id));
  const node = descend(reply.result, "job");
  return reply.outcome === "done" && node !== undefined ? readPushJob(node) : undefined;
}

function runningPush({ id, user, description, enqueued, type, rows }: PushJobState): RunningPush {
  const firewalls = rows.map(({ serial, hostname, result }) => ({ serial, hostname, result: result ?? ("not ended" as const) }));
  return { job: id, by: user, description, since: enqueued, asksOnly: /^Validate/.test(type), firewalls };
}
