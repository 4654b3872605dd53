import {
  afterActing,
  beforeActing,
  type Fate,
  isWireEffect,
  meetAll,
  sendInstead,
  type Wire,
  type WireReply,
} from "../../faults/wire-effects.js";
import type { ServiceReply } from "../http/reply.js";
import type { ServiceRequest } from "../http/request.js";
import { send } from "../http/send.js";
import type { JournalEntry } from "../journal.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import type { Effect } from "./fault.js";

/** A request with the effects that meet it. */
export interface Meeting extends Wire {
  readonly core: LabCore;
  readonly request: ServiceRequest;
  readonly entry: JournalEntry;
  readonly effects: readonly Effect[];
}

/** Effects that come before the service acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  return await meetAll(meeting.effects, (effect) => beforeOne(effect, meeting));
}

async function beforeOne(effect: Effect, meeting: Meeting): Promise<Fate> {
  const { core, request, entry, response } = meeting;
  switch (effect.kind) {
    case "status":
      entry.status = effect.status;
      return await sendInstead(meeting, { status: effect.status, headers: { "content-type": "text/html" }, text: "" });
    case "refuse": {
      const reply = refusal(request.service, effect.status, effect.type, effect.message);
      entry.status = effect.status;
      entry.message = effect.message;
      entry.reply = (await send(response, reply)) ? "sent" : "none";
      return "answered";
    }
    case "expire-token":
      core.world.identity.revoke(request.headers["x-auth-token"] ?? "");
      return "goes-on";
    case "act":
      core.act(effect.act);
      return "goes-on";
    case "server-fails":
    case "volume-ends":
    case "interface-stays":
    case "leave-out":
      return "goes-on";
    default:
      if (effect.kind === "html") entry.status = effect.status;
      return await beforeActing(effect, meeting);
  }
}

/** Effects that come after the service acted: on the reply, or in its place. */
export async function after(meeting: Meeting, complete: ServiceReply): Promise<Fate> {
  const reply = meeting.effects.reduce((left, effect) => (effect.kind === "leave-out" ? without(effect.text, left) : left), complete);
  if (reply !== complete) return await sendInstead(meeting, onWire(reply));
  return await meetAll(meeting.effects, async (effect) => {
    return isWireEffect(effect) ? await afterActing(effect, meeting, () => onWire(reply)) : "goes-on";
  });
}

function without(text: string, reply: ServiceReply): ServiceReply {
  const body: unknown = JSON.parse(reply.text);
  const isLeft = (item: unknown): boolean => !JSON.stringify(item).includes(text);
  const left = Object.entries(body ?? {}).map(([key, value]) => [key, Array.isArray(value) ? value.filter(isLeft) : value]);
  return { ...reply, text: JSON.stringify(Object.fromEntries(left)) };
}

function onWire({ status, contentType, headers, text }: ServiceReply): WireReply {
  return { status, headers: { ...headers, "content-type": contentType }, text };
}
