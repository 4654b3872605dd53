import { escapeText } from "../../../core/tree/xml/escape.js";
import { dateTime, timeOfDay } from "../clock.js";
import type { Job } from "../commit/jobs.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { jobNotFound } from "../device-messages.js";
import { type Reply, result } from "../http/reply.js";
import { pushLimits } from "../manager/push-order.js";
import { fields, type OperationCall, type OperationTable } from "./operation.js";
import { pushXml } from "./push-job.js";

const STOPPED = "Job was stopped by user";

export const JOB_OPERATIONS: OperationTable = {
  "show/jobs/id": { needs: "jobs", run: (call) => one(call) },
  "show/jobs/all": { needs: "jobs", run: ({ device }) => list(device, () => true) },
  "show/jobs/processed": { needs: "jobs", run: ({ device }) => list(device, (job) => job.finished !== undefined) },
  "show/jobs/pending": { needs: "jobs", run: ({ device }) => list(device, (job) => job.finished === undefined) },
  "clear/job/id": { needs: "jobs", run: (call) => stop(call) },
};

function one({ device, node }: OperationCall): Reply {
  return result(jobXml(device, find(device, node.text)));
}

function list(device: LabDevice, wanted: (job: Job) => boolean): Reply {
  return result(
    device.jobs
      .all()
      .filter(wanted)
      .reverse()
      .map((job) => jobXml(device, job)),
  );
}

/**
 * Stops a job that has not ended; the job then counts as failed. Devices were not tested on whether a push can be stopped, so
 * `pushLimits` configures it.
 */
function stop({ device, node }: OperationCall): Reply {
  const job = find(device, node.text);
  if (job.finished !== undefined) throw new DeviceError(undefined, `job ${job.id} is already done`);
  if (!canStop(device, job)) throw new DeviceError(undefined, `job ${job.id} cannot be stopped`);
  device.jobs.finish(job, { ok: false, lines: [STOPPED] });
  return result(`<msg><line>Job ${job.id} stopped</line></msg>`);
}

function canStop(device: LabDevice, { push }: Job): boolean {
  return push === undefined || pushLimits(device).stopped !== "never";
}

/** Result of a job. A stopped push has its own configured result. */
function resultOf(device: LabDevice, { outcome, push }: Job): string {
  if (outcome === undefined) return "PEND";
  if (outcome.ok) return "OK";
  return push !== undefined && outcome.lines[0] === STOPPED ? pushLimits(device).stopped : "FAIL";
}

function find(device: LabDevice, id: string): Job {
  const job = device.jobs.get(Number(id));
  if (job === undefined) throw jobNotFound(id);
  return job;
}

function jobXml(device: LabDevice, job: Job): string {
  const { started, finished, outcome, push } = job;
  const waiting = device.jobs.open().filter((each) => each.started === undefined);
  const lines = (outcome?.lines ?? []).map((line) => `<line>${escapeText(line)}</line>`).join("");
  const warnings = (outcome?.warnings ?? []).map((line) => `<line>${escapeText(line)}</line>`).join("");
  const before = fields([
    ["tenq", dateTime(job.enqueued)],
    ["tdeq", started === undefined ? "" : timeOfDay(started)],
    ["id", String(job.id)],
    ["user", job.user],
    ["type", job.type],
    ["status", finished !== undefined ? "FIN" : started === undefined ? "PEND" : "ACT"],
    ["queued", started === undefined ? "YES" : "NO"],
    ["stoppable", finished === undefined && canStop(device, job) ? "yes" : "no"],
    ["result", resultOf(device, job)],
    ["tfin", finished === undefined ? (push === undefined ? "" : "Still Active") : timeOfDay(finished)],
    ["description", job.description],
    ["positionInQ", String(started === undefined ? waiting.indexOf(job) + 1 : 0)],
    ["progress", String(device.jobs.progress(job))],
  ]);
  return `<job>${before}<details>${lines}</details><warnings>${warnings}</warnings>${push === undefined ? "" : pushXml(device, job, push)}</job>`;
}
