import type { ServerResponse } from "node:http";
import type { JobFault } from "../commit/commit.js";
import type { LabDevice } from "../device.js";
import { dispatch } from "../dispatch.js";
import { after, before, type Meeting } from "../faults/meet.js";
import type { JournalEntry } from "../journal.js";
import type { LabCore } from "../lab-core.js";
import type { Reply } from "./reply.js";
import type { ApiRequest } from "./request.js";
import { send, takeHead } from "./send.js";

/** Handles one call from arrival to the last byte of its reply, including injected faults. */
export async function exchange(core: LabCore, device: LabDevice, request: ApiRequest, response: ServerResponse): Promise<void> {
  const admin = device.keys.nameOf(request.credentials);
  const entry = core.note(device, request, admin);
  const effects = core.faults.meet({ device: device.name, admin, params: request.params });
  for (const effect of effects) entry.faults.push(effect.kind);
  const meeting: Meeting = { core, device, request, response, entry, effects, clock: core.clock, hold: () => core.held.hold(entry) };
  if ((await before(meeting)) === "answered") return;
  const { reply, admin: authenticated } = dispatch(device, request, jobFaultOf(meeting));
  record(entry, reply, authenticated);
  const { head, rest } = takeHead(reply.body);
  // The rest is written while other requests edit the candidate. Freezing makes these edits copy the nodes that they change.
  if (rest !== undefined) device.candidate.tree.freeze();
  if ((await after(meeting, reply, head, rest)) === "answered") return;
  entry.reply = (await send(response, reply, head, rest)) ? "sent" : "none";
}

/** Records the reply of a request in the journal. */
function record(entry: JournalEntry, { http, status, code, message }: Reply, admin: string | undefined): void {
  entry.admin = admin;
  entry.executed = true;
  entry.outcome = { http, status, code, message };
}

function jobFaultOf({ effects }: Meeting): JobFault {
  const fails = effects.find((effect) => effect.kind === "job-fails");
  return {
    neverEnds: effects.some((effect) => effect.kind === "job-never-ends"),
    doesNothing: effects.some((effect) => effect.kind === "job-does-nothing"),
    ...(fails === undefined ? {} : { failsWith: fails.lines ?? ["Commit failed"] }),
  };
}
