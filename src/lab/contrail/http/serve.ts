import type { IncomingMessage, ServerResponse } from "node:http";
import type { HeldRequests } from "../../faults/held-requests.js";
import { afterActing, beforeActing, type Fate, isWireEffect, meetAll, sendInstead, type Wire } from "../../faults/wire-effects.js";
import type { Clock } from "../../panos/clock.js";
import { authenticate } from "../access/authenticate.js";
import type { TokenChecker } from "../access/token.js";
import type { ContrailFaultEffect } from "../faults/fault.js";
import type { ContrailFaults } from "../faults/faults.js";
import type { ContrailJournalEntry } from "../journal.js";
import { ControllerError } from "../world/controller-error.js";
import type { ContrailWorld } from "../world/world.js";
import type { Call, Gate, NetworkFields } from "./call.js";
import { dispatch } from "./dispatch.js";
import { type ContrailReply, refusal, text } from "./reply.js";
import { baseOf, type ContrailRequest, readRequest } from "./request.js";
import { serveWatch, watchedTypes } from "./watch.js";

/** A request with the effects that meet it. */
interface Meeting extends Wire {
  readonly effects: readonly ContrailFaultEffect[];
}

/** State that all requests of a lab share. */
export interface Lab {
  readonly clock: Clock;
  readonly world: ContrailWorld;
  readonly gate: Gate;
  readonly networkFields: NetworkFields;
  readonly checkToken: TokenChecker | undefined;
  readonly maxBytes: number;
  readonly faults: ContrailFaults;
  readonly held: HeldRequests<ContrailJournalEntry>;
  readonly journal: ContrailJournalEntry[];
}

/** Serves one request, including the faults that match it. */
export async function serve(lab: Lab, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(incoming, lab.maxBytes);
  if (request === undefined) {
    await send(response, refusal(new ControllerError(413, "Request too large", "page"), baseOf(incoming), incoming.url ?? "/"));
    return;
  }
  const entry = note(lab, request);
  const effects = lab.faults.meet(request);
  entry.faults.push(...effects.map(({ kind }) => kind));
  const meeting = { clock: lab.clock, hold: () => lab.held.hold(entry), response, entry, effects };
  if ((await before(meeting)) === "answered") return;
  const reply = await answer(lab, request, entry, response);
  if (reply === undefined) return;
  entry.executed = true;
  entry.status = reply.status;
  if ((await after(meeting, reply)) === "answered") return;
  entry.reply = (await send(response, reply)) ? "sent" : "none";
}

/** The response. Undefined if the call became a stream of events. */
async function answer(
  lab: Lab,
  request: ContrailRequest,
  entry: ContrailJournalEntry,
  response: ServerResponse,
): Promise<ContrailReply | undefined> {
  try {
    const caller = await authenticate(lab.gate.mode, lab.checkToken, request.token, request.path);
    entry.user = caller.user;
    const call: Call = { world: lab.world, caller, request, gate: lab.gate, networkFields: lab.networkFields };
    if (request.path !== "/watch" || request.method !== "GET") return dispatch(call);
    const types = watchedTypes(request);
    Object.assign(entry, { executed: true, status: 200, reply: "sent" });
    serveWatch(lab.world, types, response);
    return undefined;
  } catch (error) {
    if (error instanceof ControllerError) return refusal(error, request.base, request.url);
    throw error;
  }
}

function note({ clock, journal }: Lab, { method, url, body }: ContrailRequest): ContrailJournalEntry {
  const entry: ContrailJournalEntry = {
    n: journal.length + 1,
    time: clock.now(),
    method,
    url,
    body,
    user: "",
    executed: false,
    status: undefined,
    reply: "pending",
    faults: [],
  };
  journal.push(entry);
  return entry;
}

/** Reports an internal error of the lab. The text shows that the error is not the controller's. */
export function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  void send(response, text(500, `internal error of the lab: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
}

/** Effects that come before the controller acts. */
async function before(meeting: Meeting): Promise<Fate> {
  return await meetAll(meeting.effects, async (effect) =>
    effect.kind === "status" ? await sendInstead(meeting, text(effect.status, effect.text ?? "")) : await beforeActing(effect, meeting),
  );
}

/** Effects that come after the controller acted: on the reply, or in its place. */
async function after(meeting: Meeting, reply: ContrailReply): Promise<Fate> {
  return await meetAll(meeting.effects, async (effect) =>
    isWireEffect(effect) ? await afterActing(effect, meeting, () => reply) : "goes-on",
  );
}

/** Sends a response. Resolves to whether the client received it completely. */
function send(response: ServerResponse, { status, headers, text }: ContrailReply): Promise<boolean> {
  return new Promise((resolve) => {
    response.once("close", () => resolve(response.writableFinished));
    response.writeHead(status, { ...headers, ...(status === 304 ? {} : { "content-length": Buffer.byteLength(text) }) });
    response.end(text);
  });
}
