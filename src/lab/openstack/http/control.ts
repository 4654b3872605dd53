import type { Fault } from "../faults/fault.js";
import type { Act, LabCore } from "../lab-core.js";
import { json, type ServiceReply } from "./reply.js";

type Command = (core: LabCore, body: Record<string, unknown>) => unknown;

/** The lab's control endpoint for tests in other processes. Every service has it below `/lab/`. */
const COMMANDS: Readonly<Record<string, Command>> = {
  "GET faults": (core) => core.faults.list(),
  "POST faults": (core, body) => {
    for (const fault of Array.isArray(body) ? body : [body]) core.faults.add(fault as Fault);
    return core.faults.list();
  },
  "DELETE faults": (core) => core.faults.clear(),
  "GET held": (core) => core.held.list(),
  "POST release": (core) => core.held.release(),
  "POST act": (core, body) => core.act(body as unknown as Act),
  "GET journal": (core) => core.journal,
  "POST revoke": (core, { user }) => core.world.identity.revokeAll(typeof user === "string" ? user : undefined),
  "POST hide": (core, { id }) => {
    core.world.network.store.hidden.add(String(id));
  },
  "POST unhide": (core, { id }) => {
    core.world.network.store.hidden.delete(String(id));
  },
  "POST settings": ({ world }, { tokenLifetime, networkPageMaximum, computePageMaximum, buildDuration }) => {
    if (typeof tokenLifetime === "number") world.identity.tokenLifetime = tokenLifetime;
    if (typeof networkPageMaximum === "number") world.network.pageMaximum = networkPageMaximum;
    if (typeof computePageMaximum === "number") world.compute.pageMaximum = computePageMaximum;
    if (typeof buildDuration === "number") world.compute.buildDuration = buildDuration;
  },
};

export function control(core: LabCore, method: string, path: string, body: Buffer): ServiceReply {
  const command = COMMANDS[`${method} ${path}`];
  if (command === undefined) return json(404, { error: "unknown", commands: Object.keys(COMMANDS) });
  try {
    const parsed: unknown = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
    return json(200, command(core, parsed as Record<string, unknown>) ?? { ok: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : String(error) });
  }
}
