import type { LabDevice } from "../device.js";
import { parameterRequired, unknownCommand } from "../device-messages.js";
import type { Reply } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";

const DEFAULT_COUNT = 20;
const MAX_COUNT = 5000;

/**
 * Handles `type=log`. The job number is `job-id` on devices and `jobid` in the specification; both are accepted. The error for a missing
 * number names `jobid`.
 */
export function handleLog(device: LabDevice, request: ApiRequest): Reply {
  const action = param(request, "action");
  if (action === undefined) return create(device, request);
  const id = param(request, "job-id") ?? param(request, "jobid");
  if (id === undefined) throw parameterRequired("jobid");
  if (action === "get") return device.queries.get(id);
  if (action === "finish") return device.queries.finish(id);
  throw unknownCommand(`log -> ${action}`);
}

function create(device: LabDevice, request: ApiRequest): Reply {
  const type = param(request, "log-type");
  if (type === undefined) throw parameterRequired("log-type");
  if (!device.capabilities.extras && type !== "threat") throw unknownCommand(`log-type -> ${type}`);
  return device.queries.create({
    type,
    filter: param(request, "query") ?? "",
    count: Math.min(numberOf(request, "nlogs", DEFAULT_COUNT), MAX_COUNT),
    skip: numberOf(request, "skip", 0),
    direction: param(request, "dir") === "forward" ? "forward" : "backward",
  });
}

function numberOf(request: ApiRequest, name: string, fallback: number): number {
  const text = param(request, name);
  if (text === undefined) return fallback;
  if (!/^\d+$/.test(text)) throw unknownCommand(`${name} -> ${text}`);
  return Number(text);
}
