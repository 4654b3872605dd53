import type { ServerResponse } from "node:http";
import { resetConnection } from "../http/transports.js";

/** What can happen to a request and its reply on their way, whatever service they are of. */
export type WireEffect =
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** The connection is reset before the service acts. */
  | { readonly kind: "drop" }
  /** The service acts, then the connection is reset. */
  | { readonly kind: "drop-reply" }
  /** The reply ends after this share of it, a half when left out. `announced` is what Content-Length says: the bytes sent, or those of the whole. */
  | { readonly kind: "cut"; readonly share?: number; readonly announced?: "sent" | "whole" }
  /** A page of a proxy in place of the service; 200, 414, 502 … */
  | { readonly kind: "html"; readonly status: number }
  /** The whole reply under another content type. */
  | { readonly kind: "content-type"; readonly value: string }
  /** The request is held, before or after the service acts, until the control endpoint releases it. */
  | { readonly kind: "hold"; readonly when?: "before" | "after" }
  /** The connection is reset, and the request stays on its way: the service acts when the control endpoint releases it. */
  | { readonly kind: "late" }
  /** In the lab's own process only: runs before or after the service acts. */
  | { readonly kind: "call"; readonly when?: "before" | "after"; readonly run: () => void | Promise<void> };

const KINDS: ReadonlySet<string> = new Set<WireEffect["kind"]>([
  "delay",
  "drop",
  "drop-reply",
  "cut",
  "html",
  "content-type",
  "hold",
  "late",
  "call",
]);

export function isWireEffect(effect: { readonly kind: string }): effect is WireEffect {
  return KINDS.has(effect.kind);
}

/** A request under way. */
export interface Wire {
  readonly response: ServerResponse;
  readonly entry: { reply: "pending" | "sent" | "none" | "spoilt" };
  readonly clock: { wait(milliseconds: number): Promise<void> };
  /** Waits until the request is released. */
  readonly hold: () => Promise<void>;
}

/** A reply as bytes will tell it; `headers` with its content type. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Whether an effect has answered (or cut) the request already. */
export type Fate = "answered" | "goes-on";

/** Goes from effect to effect until one has answered. */
export async function meetAll<Effect>(effects: readonly Effect[], meet: (effect: Effect) => Promise<Fate>): Promise<Fate> {
  for (const effect of effects) if ((await meet(effect)) === "answered") return "answered";
  return "goes-on";
}

/** What an effect does before the service acts. */
export async function beforeActing(effect: WireEffect, wire: Wire): Promise<Fate> {
  if (effect.kind === "delay") await wire.clock.wait(effect.milliseconds);
  else if (effect.kind === "drop") return reset(wire);
  else if (effect.kind === "html") return await sendInstead(wire, page(effect.status));
  else if (effect.kind === "hold" && effect.when !== "after") await wire.hold();
  else if (effect.kind === "late") {
    reset(wire);
    await wire.hold();
  } else if (effect.kind === "call" && effect.when !== "after") await effect.run();
  return "goes-on";
}

/** What an effect does after the service acted: to the reply, or in its place. */
export async function afterActing(effect: WireEffect, wire: Wire, reply: () => WireReply): Promise<Fate> {
  if (effect.kind === "drop-reply") return reset(wire);
  if (effect.kind === "cut") return await cut(wire, reply(), effect.share ?? 0.5, effect.announced ?? "sent");
  if (effect.kind === "content-type") return await sendInstead(wire, under(effect.value, reply()));
  if (effect.kind === "hold" && effect.when === "after") await wire.hold();
  else if (effect.kind === "call" && effect.when === "after") await effect.run();
  return "goes-on";
}

/** Sends what the service would not have sent. */
export async function sendInstead({ response, entry }: Wire, { status, headers, text }: WireReply): Promise<Fate> {
  entry.reply = "spoilt";
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(text, () => resolve());
  });
  return "answered";
}

/** A page as proxies and captive portals send it. */
function page(status: number): WireReply {
  const text = `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The requested page is not available.</p></body></html>`;
  return { status, headers: { "content-type": "text/html" }, text };
}

function under(contentType: string, { headers, ...reply }: WireReply): WireReply {
  return { ...reply, headers: { ...headers, "content-type": contentType } };
}

function reset({ response, entry }: Wire): Fate {
  entry.reply = "none";
  if (response.socket !== null) resetConnection(response.socket);
  return "answered";
}

/** With the length of what is sent the reply looks complete; with that of the whole the connection ends too early. */
async function cut({ response, entry }: Wire, reply: WireReply, share: number, announced: "sent" | "whole"): Promise<Fate> {
  entry.reply = "spoilt";
  const bytes = Buffer.from(reply.text);
  const part = bytes.subarray(0, Math.floor(bytes.length * share));
  response.writeHead(reply.status, { ...reply.headers, "content-length": announced === "sent" ? part.length : bytes.length });
  await new Promise<void>((resolve) => response.write(part, () => resolve()));
  if (announced === "sent") response.end();
  else response.socket?.destroy();
  return "answered";
}
