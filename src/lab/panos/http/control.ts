import type { Administrator } from "../access/administrators.js";
import { failOver } from "../commit/pair.js";
import type { LabDevice } from "../device.js";
import type { Fault } from "../faults/fault.js";
import type { LabCore } from "../lab-core.js";
import type { PushTrouble } from "../manager/attachment.js";
import { setConnected } from "../manager/push.js";
import { readFlows } from "../traffic/flow.js";
import { toXml } from "../tree/serialise.js";

export interface ControlReply {
  readonly http: number;
  readonly contentType: string;
  readonly text: string;
}

type Command = (core: LabCore, device: LabDevice, body: Record<string, unknown>) => unknown;

/** Control interface of the lab for tests in another process. Each device's server has it below `/lab/`. */
const COMMANDS: Readonly<Record<string, Command>> = {
  "GET faults": (core) => core.faults.list(),
  "POST faults": (core, _, body) => {
    for (const fault of Array.isArray(body) ? body : [body]) core.faults.add(fault as Fault);
    return core.faults.list();
  },
  "DELETE faults": (core) => core.faults.clear(),
  "GET held": (core) => core.held.list(),
  "POST release": (core) => core.held.release(),
  "POST act": (core, device, body) => core.act(device, String(body.admin), body.params as Record<string, string>),
  "GET flows": (_, device) => device.traffic.list(),
  "POST flows": (_, device, body) => {
    device.traffic.add(readFlows(body));
    return device.traffic.list();
  },
  "DELETE flows": (_, device) => device.traffic.clear(),
  "GET journal": (_, device) => device.journal,
  "GET commits": (_, device) => {
    device.jobs.advance();
    return device.commits;
  },
  "GET violations": (_, device) => device.violations,
  "GET devices": (core) => core.devices.map(({ name, serial, haState }) => ({ name, serial, haState })),
  "POST administrators": (_, device, body) => device.administrators.add(body as unknown as Administrator),
  "POST revoke": (_, device, body) => device.keys.revokeAll(String(body.admin)),
  "POST fail-over": (_, device) => failOver(device),
  "GET pushes": (_, device) => device.pushes,
  "GET received": (_, device) => device.received,
  "POST connected": (_, device, body) => setConnected(device, body.connected === true),
  "POST push-trouble": (_, device, body) => {
    if (device.attachment !== undefined) device.attachment.trouble = body.kind === undefined ? undefined : (body as PushTrouble);
  },
  "POST forget-jobs": (_, device) => device.jobs.forget(),
  "POST finish-job": (_, device, body) => {
    const job = device.jobs.get(Number(body.id));
    if (job !== undefined) device.jobs.finish(job, { ok: body.ok === true, lines: (body.lines as string[] | undefined) ?? [] });
    return { found: job !== undefined };
  },
};

export function control(core: LabCore, device: LabDevice, method: string, path: string, body: Buffer): ControlReply {
  if (method === "GET" && path === "running") return { http: 200, contentType: "application/xml", text: toXml(device.running) };
  if (method === "GET" && path === "candidate")
    return { http: 200, contentType: "application/xml", text: toXml(device.candidate.tree.root, { marks: true }) };
  const command = COMMANDS[`${method} ${path}`];
  if (command === undefined) return json(404, { error: "unknown", commands: Object.keys(COMMANDS) });
  try {
    const parsed: unknown = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
    return json(200, command(core, device, parsed as Record<string, unknown>) ?? { ok: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function json(http: number, value: unknown): ControlReply {
  return { http, contentType: "application/json", text: JSON.stringify(value) };
}
