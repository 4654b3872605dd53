import { afterActing, beforeActing, type Fate, isWireEffect, meetAll, sendInstead, type Wire } from "../../faults/wire-effects.js";
import { failOver } from "../commit/pair.js";
import type { LabDevice } from "../device.js";
import type { DeviceError } from "../device-error.js";
import { commitInProgress } from "../device-messages.js";
import { type Reply, refusal } from "../http/reply.js";
import type { ApiRequest } from "../http/request.js";
import { send } from "../http/send.js";
import type { JournalEntry } from "../journal.js";
import type { LabCore } from "../lab-core.js";
import type { Effect } from "./fault.js";

/** A request with the effects that meet it. */
export interface Meeting extends Wire {
  readonly core: LabCore;
  readonly device: LabDevice;
  readonly request: ApiRequest;
  readonly entry: JournalEntry;
  readonly effects: readonly Effect[];
}

/** Effects that come before the device acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  return await meetAll(meeting.effects, (effect) => beforeOne(effect, meeting));
}

async function beforeOne(effect: Effect, meeting: Meeting): Promise<Fate> {
  const { core, device, request } = meeting;
  switch (effect.kind) {
    case "status":
      return await sendInstead(meeting, { status: effect.status, headers: { "content-type": "text/html" }, text: "" });
    case "revoke-key":
      if (request.credentials.key !== undefined) device.keys.revoke(request.credentials.key);
      return "goes-on";
    case "busy":
      return await refuse(meeting, commitInProgress());
    case "lock":
      device.locks.add({
        kind: effect.lock,
        scope: effect.scope ?? "shared",
        owner: effect.admin,
        comment: effect.comment ?? "",
        created: core.clock.now(),
      });
      return "goes-on";
    case "act":
      core.act(device, effect.admin, effect.params);
      return "goes-on";
    case "fail-over":
      failOver(device);
      return "goes-on";
    default:
      return isWireEffect(effect) ? await beforeActing(effect, meeting) : "goes-on";
  }
}

/** Effects that come after the device acted: on the reply, or in its place. */
export async function after(meeting: Meeting, reply: Reply, head: string, rest: Iterator<string> | undefined): Promise<Fate> {
  const { http, contentType, headers } = reply;
  return await meetAll(meeting.effects, async (effect) => {
    if (effect.kind === "huge") {
      meeting.entry.reply = "spoilt";
      await send(meeting.response, reply, '<response status="success">', huge(effect.bytes));
      return "answered";
    }
    if (!isWireEffect(effect)) return "goes-on";
    const onWire = () => ({ status: http, headers: { ...headers, "content-type": contentType }, text: completeText(head, rest) });
    return await afterActing(effect, meeting, onWire);
  });
}

async function refuse({ response, entry }: Meeting, error: DeviceError): Promise<Fate> {
  const reply = refusal(error);
  entry.outcome = { http: reply.http, status: reply.status, code: reply.code, message: reply.message };
  entry.reply = (await send(response, reply, [...reply.body].join(""), undefined)) ? "sent" : "none";
  return "answered";
}

function completeText(head: string, rest: Iterator<string> | undefined): string {
  let text = head;
  for (let piece = rest?.next(); piece !== undefined && piece.done !== true; piece = rest?.next()) text += piece.value;
  return text;
}

function* huge(bytes: number): Generator<string> {
  const filler = `<entry>${"x".repeat(64 * 1024)}</entry>`;
  yield "<result>";
  for (let sent = 0; sent < bytes; sent += filler.length) yield filler;
  yield "</result></response>";
}
