import type { ServerResponse } from "node:http";
import type { Clock } from "../../panos/clock.js";
import type { ContrailReply } from "../http/reply.js";
import { text } from "../http/reply.js";
import { send } from "../http/send.js";
import type { ContrailJournalEntry } from "../journal.js";
import type { ContrailFaultEffect } from "./fault.js";
import type { ContrailFaults } from "./faults.js";

/** A request with the effects that meet it. */
export interface Meeting {
  readonly faults: ContrailFaults;
  readonly clock: Clock;
  readonly response: ServerResponse;
  readonly entry: ContrailJournalEntry;
  readonly effects: readonly ContrailFaultEffect[];
}

/** Whether the effects have answered (or cut) the request already. */
export type Fate = "answered" | "goes-on";

const PAGE = (status: number): string =>
  `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The server behind this proxy does not answer.</p></body></html>`;

/** Effects that come before the controller acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  for (const effect of meeting.effects) if ((await beforeOne(effect, meeting)) === "answered") return "answered";
  return "goes-on";
}

async function beforeOne(effect: ContrailFaultEffect, { clock, entry, faults, response }: Meeting): Promise<Fate> {
  switch (effect.kind) {
    case "delay":
      await clock.wait(effect.milliseconds);
      return "goes-on";
    case "drop":
      return reset(response, entry);
    case "html":
    case "status":
      entry.reply = "spoilt";
      await send(response, text(effect.status, effect.kind === "html" ? PAGE(effect.status) : (effect.text ?? "")));
      return "answered";
    case "hold":
      if (effect.when !== "after") await faults.hold();
      return "goes-on";
    case "call":
      if (effect.when !== "after") await effect.run();
      return "goes-on";
    default:
      return "goes-on";
  }
}

/** Effects that come after the controller acted: on the reply, or in its place. */
export async function after(meeting: Meeting, reply: ContrailReply): Promise<Fate> {
  for (const effect of meeting.effects) if ((await afterOne(effect, meeting, reply)) === "answered") return "answered";
  return "goes-on";
}

async function afterOne(effect: ContrailFaultEffect, { entry, faults, response }: Meeting, reply: ContrailReply): Promise<Fate> {
  switch (effect.kind) {
    case "hold":
      if (effect.when === "after") await faults.hold();
      return "goes-on";
    case "call":
      if (effect.when === "after") await effect.run();
      return "goes-on";
    case "drop-reply":
      return reset(response, entry);
    case "cut":
      entry.reply = "spoilt";
      await cut(response, reply, effect.share ?? 0.5, effect.announced ?? "sent");
      return "answered";
    case "content-type":
      entry.reply = "spoilt";
      await send(response, { ...reply, headers: { ...reply.headers, "content-type": effect.value } });
      return "answered";
    default:
      return "goes-on";
  }
}

function reset({ socket }: ServerResponse, entry: ContrailJournalEntry): Fate {
  entry.reply = "none";
  socket?.resetAndDestroy();
  return "answered";
}

/** With the length of what is sent the reply looks complete; with that of the whole the connection ends too early. */
async function cut(response: ServerResponse, reply: ContrailReply, share: number, announced: "sent" | "whole"): Promise<void> {
  const bytes = Buffer.from(reply.text);
  const part = bytes.subarray(0, Math.floor(bytes.length * share));
  response.writeHead(reply.status, { ...reply.headers, "content-length": announced === "sent" ? part.length : bytes.length });
  await new Promise<void>((resolve) => response.write(part, () => resolve()));
  if (announced === "sent") response.end();
  else response.socket?.destroy();
}
