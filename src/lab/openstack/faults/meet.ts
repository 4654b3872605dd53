import type { ServerResponse } from "node:http";
import { resetConnection } from "../../panos/http/transports.js";
import type { ServiceReply } from "../http/reply.js";
import type { ServiceRequest } from "../http/request.js";
import { send } from "../http/send.js";
import type { JournalEntry } from "../journal.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import type { Effect } from "./fault.js";

/** A request with the effects that meet it. */
export interface Meeting {
  readonly core: LabCore;
  readonly request: ServiceRequest;
  readonly response: ServerResponse;
  readonly entry: JournalEntry;
  readonly effects: readonly Effect[];
}

/** Whether the effects have answered (or cut) the request already. */
export type Fate = "answered" | "goes-on";

const HTML = (status: number): string =>
  `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The requested page is not available.</p></body></html>`;

/** Effects that come before the service acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  for (const effect of meeting.effects) if ((await beforeOne(effect, meeting)) === "answered") return "answered";
  return "goes-on";
}

async function beforeOne(effect: Effect, meeting: Meeting): Promise<Fate> {
  const { core, request, response, entry } = meeting;
  switch (effect.kind) {
    case "delay":
      await core.world.clock.wait(effect.milliseconds);
      return "goes-on";
    case "drop":
      return reset(meeting);
    case "html":
    case "status":
      entry.reply = "spoilt";
      entry.status = effect.status;
      await send(response, { status: effect.status, contentType: "text/html", text: effect.kind === "html" ? HTML(effect.status) : "" });
      return "answered";
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
    case "hold":
      if (effect.when !== "after") await core.hold(entry);
      return "goes-on";
    case "call":
      if (effect.when !== "after") await effect.run();
      return "goes-on";
    default:
      return "goes-on";
  }
}

/** Effects that come after the service acted: on the reply, or in its place. */
export async function after(meeting: Meeting, reply: ServiceReply): Promise<Fate> {
  for (const effect of meeting.effects) if ((await afterOne(effect, meeting, reply)) === "answered") return "answered";
  return "goes-on";
}

async function afterOne(effect: Effect, meeting: Meeting, reply: ServiceReply): Promise<Fate> {
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
      await cut(response, reply, effect.share ?? 0.5, effect.announced ?? "sent");
      return "answered";
    case "content-type":
      entry.reply = "spoilt";
      await send(response, { ...reply, contentType: effect.value });
      return "answered";
    default:
      return "goes-on";
  }
}

function reset({ response, entry }: Meeting): Fate {
  entry.reply = "none";
  if (response.socket !== null) resetConnection(response.socket);
  return "answered";
}

/** With the length of what is sent the reply looks complete; with that of the whole the connection ends too early. */
async function cut(
  response: ServerResponse,
  { status, contentType, text, headers }: ServiceReply,
  share: number,
  announced: "sent" | "whole",
): Promise<void> {
  const bytes = Buffer.from(text);
  const part = bytes.subarray(0, Math.floor(bytes.length * share));
  const length = announced === "sent" ? part.length : bytes.length;
  response.writeHead(status, { ...headers, "content-type": contentType, "content-length": length });
  if (announced === "sent") {
    response.end(part);
    return;
  }
  await new Promise<void>((resolve) => response.write(part, () => resolve()));
  response.socket?.destroy();
}
