import type { CommitResult } from "../../../engine/write-target.js";
import type { PanosClient } from "../client/client.js";
import { type DeviceReply, descend, OBJECT_NOT_FOUND, textOf } from "../client/reply.js";
import type { PanosRequest } from "../client/request.js";
import { type JobWatch, watchJob } from "./watch-job.js";

/**
 * Sends a request that starts a job (a commit or a validation) and watches the job to its end. Throws the device's refusals as typed
 * errors.
 */
export async function runJob(client: PanosClient, request: PanosRequest, watch: JobWatch): Promise<CommitResult> {
  const reply = await client.attempt(request);
  if (isNothingToDo(reply)) return { outcome: "nothing", job: undefined, lines: reply.lines };
  if (reply.outcome !== "done") throw client.refusal(reply);
  const id = jobOf(reply);
  if (id === undefined) return { outcome: "nothing", job: undefined, lines: reply.lines };
  const job = await watchJob(client, id, watch);
  if (job === undefined) {
    return {
      outcome: "committed",
      job: id,
      lines: [...reply.lines, "the device has no command to watch the job; the running configuration is read back"],
    };
  }
  return { outcome: job.result === "OK" ? "committed" : "failed", job: id, lines: job.lines };
}

/** Both forms (docs/contributing/devices/panos.md#commits-and-jobs): code 19 without a job and, for custom roles, code 13 with `success`. */
function isNothingToDo(reply: DeviceReply): boolean {
  if (reply.status !== "success") return false;
  return reply.code === OBJECT_NOT_FOUND || (reply.outcome === "done" && jobOf(reply) === undefined);
}

/** Returns the number of the job in a reply. */
export function jobOf(reply: DeviceReply): string | undefined {
  const id = textOf(descend(reply.result, "job") ?? descend(reply.root, "job"));
  return /^\d+$/.test(id) ? id : undefined;
}
