import type { ServerResponse } from "node:http";
import { dispatch } from "../dispatch.js";
import { after, before, type Meeting } from "../faults/meet.js";
import type { LabCore } from "../lab-core.js";
import type { ServiceRequest } from "./request.js";
import { send } from "./send.js";

/** One call from arrival to the last byte of its reply, with the faults that meet it. */
export async function exchange(core: LabCore, request: ServiceRequest, response: ServerResponse): Promise<void> {
  const entry = core.note(request);
  const effects = core.faults.meet({ request, user: entry.user });
  for (const effect of effects) entry.faults.push(effect.kind);
  response.setHeader("x-openstack-request-id", request.requestId);
  if (request.service === "compute" || request.service === "volume") response.setHeader("x-compute-request-id", request.requestId);
  if (request.service === "identity") response.setHeader("vary", "X-Auth-Token");
  const meeting: Meeting = { core, request, response, entry, effects, clock: core.world.clock, hold: () => core.held.hold(entry) };
  if ((await before(meeting)) === "answered") return;
  const reply = dispatch(core, request, effects);
  entry.executed = true;
  entry.status = reply.status;
  entry.message = reply.message;
  if ((await after(meeting, reply)) === "answered") return;
  entry.reply = (await send(response, reply)) ? "sent" : "none";
}
