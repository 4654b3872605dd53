import type { ServerResponse } from "node:http";
import { failOver } from "../commit/pair.js";
import type { LabDevice } from "../device.js";
import type { DeviceError } from "../device-error.js";
import { type Reply, refusal } from "../http/reply.js";
import type { ApiRequest } from "../http/request.js";
import { send } from "../http/send.js";
import { resetConnection } from "../http/transports.js";
import type { JournalEntry } from "../journal.js";
import type { LabCore } from "../lab-core.js";
import { commitInProgress } from "../texts.js";
import type { Effect } from "./fault.js";

/** A request with the effects that meet it. */
export interface Meeting {
  readonly core: LabCore;
  readonly device: LabDevice;
  readonly request: ApiRequest;
  readonly response: ServerResponse;
  readonly entry: JournalEntry;
  readonly effects: readonly Effect[];
}

/** Whether the effects have answered (or cut) the request already. */
export type Fate = "answered" | "goes-on";

const HTML = (status: number): string =>
  `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The requested page is not available.</p></body></html>`;

/** Effects that come before the device acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  for (const effect of meeting.effects) if ((await beforeOne(effect, meeting)) === "answered") return "answered";
  return "goes-on";
}

async function beforeOne(effect: Effect, meeting: Meeting): Promise<Fate> {
  const { core, device, request, response, entry } = meeting;
  switch (effect.kind) {
    case "delay":
      await core.clock.wait(effect.milliseconds);
      return "goes-on";
    case "drop":
      return reset(meeting);
    case "html":
    case "status":
      entry.reply = "spoilt";
      await send(
        response,
        { http: effect.status, contentType: "text/html", body: [] },
        effect.kind === "html" ? HTML(effect.status) : "",
        undefined,
      );
      return "answered";
    case "revoke-key":
      if (request.credentials.key !== undefined) device.keys.revoke(request.credentials.key);
      return "goes-on";
    case "busy":
      return refuse(meeting, commitInProgress());
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
    case "hold":
      if (effect.when !== "after") await core.hold(entry);
      return "goes-on";
    case "call":
      if (effect.when !== "after") await effect.run();
      return "goes-on";
    case "fail-over":
      failOver(device);
      return "goes-on";
    default:
      return "goes-on";
  }
}

/** Effects that come after the device acted: on the reply, or in its place. */
export async function after(meeting: Meeting, reply: Reply, head: string, rest: Iterator<string> | undefined): Promise<Fate> {
  for (const effect of meeting.effects) if ((await afterOne(effect, meeting, reply, head, rest)) === "answered") return "answered";
  return "goes-on";
}

async function afterOne(effect: Effect, meeting: Meeting, reply: Reply, head: string, rest: Iterator<string> | undefined): Promise<Fate> {
  const { core, entry, response } = meeting;
  switch (effect.kind) {
    case "hold":
      if (effect.when === "after") await core.hold(entry);
      return "goes-on";
    case "call":
      if (effect.when === "after") await effect.run();
      return "goes-on";
    case "drop-reply":
      return reset(meeting);
    case "cut":
      entry.reply = "spoilt";
      await cut(response, reply, whole(head, rest), effect.share ?? 0.5, effect.announced ?? "sent");
      return "answered";
    case "content-type":
      entry.reply = "spoilt";
      await send(response, { ...reply, contentType: effect.value }, head, rest);
      return "answered";
    case "huge":
      entry.reply = "spoilt";
      await send(response, reply, '<response status="success">', huge(effect.bytes));
      return "answered";
    default:
      return "goes-on";
  }
}

async function refuse({ response, entry }: Meeting, error: DeviceError): Promise<Fate> {
  const reply = refusal(error);
  entry.outcome = { http: reply.http, status: reply.status, code: reply.code, message: reply.message };
  entry.reply = (await send(response, reply, [...reply.body].join(""), undefined)) ? "sent" : "none";
  return "answered";
}

function reset({ response, entry }: Meeting): Fate {
  entry.reply = "none";
  if (response.socket !== null) resetConnection(response.socket);
  return "answered";
}

function whole(head: string, rest: Iterator<string> | undefined): string {
  let text = head;
  for (let piece = rest?.next(); piece !== undefined && piece.done !== true; piece = rest?.next()) text += piece.value;
  return text;
}

/** With the length of what is sent the reply looks complete; with that of the whole the connection ends too early. */
async function cut(
  response: ServerResponse,
  { http, contentType }: Reply,
  text: string,
  share: number,
  announced: "sent" | "whole",
): Promise<void> {
  const bytes = Buffer.from(text);
  const part = bytes.subarray(0, Math.floor(bytes.length * share));
  response.writeHead(http, { "content-type": contentType, "content-length": announced === "sent" ? part.length : bytes.length });
  if (announced === "sent") {
    response.end(part);
    return;
  }
  await new Promise<void>((resolve) => response.write(part, () => resolve()));
  response.socket?.destroy();
}

function* huge(bytes: number): Generator<string> {
  const filler = `<entry>${"x".repeat(64 * 1024)}</entry>`;
  yield "<result>";
  for (let sent = 0; sent < bytes; sent += filler.length) yield filler;
  yield "</result></response>";
}
