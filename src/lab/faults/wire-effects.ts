import type { ServerResponse } from "node:http";
import { resetConnection } from "../http/transports.js";

/** Effects on the transport of a request and its reply, for any service. */
export type WireEffect =
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** Resets the connection before the service acts. */
  | { readonly kind: "drop" }
  /** Resets the connection after the service acts. */
  | { readonly kind: "drop-reply" }
  /**
   * Sends only this share of the reply, by default half. `announced` selects the Content-Length: the bytes sent, or the bytes of the
   * complete reply.
   */
  | { readonly kind: "cut"; readonly share?: number; readonly announced?: "sent" | "whole" }
  /** Sends the page of a proxy instead of the service's reply: 200, 414, 502 … */
  | { readonly kind: "html"; readonly status: number }
  /** Sends the complete reply with another content type. */
  | { readonly kind: "content-type"; readonly value: string }
  /** Holds the request, before or after the service acts, until the control endpoint releases it. */
  | { readonly kind: "hold"; readonly when?: "before" | "after" }
  /** Resets the connection but keeps the request. The service acts when the control endpoint releases it. */
  | { readonly kind: "late" }
  /** Only in the lab's own process: calls a function before or after the service acts. */
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

/** A request in progress. */
export interface Wire {
  readonly response: ServerResponse;
  readonly entry: { reply: "pending" | "sent" | "none" | "spoilt" };
  readonly clock: { wait(milliseconds: number): Promise<void> };
  /** Waits until the request is released. */
  readonly hold: () => Promise<void>;
}

/** A reply before it is sent. `headers` includes the content type. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Whether an effect has already answered or reset the request. */
export type Fate = "answered" | "goes-on";

/** Applies the effects in order until one has answered. */
export async function meetAll<Effect>(effects: readonly Effect[], meet: (effect: Effect) => Promise<Fate>): Promise<Fate> {
  for (const effect of effects) if ((await meet(effect)) === "answered") return "answered";
  return "goes-on";
}

/** Applies an effect before the service acts. */
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

/** Applies an effect after the service acts: changes the reply or replaces it. */
export async function afterActing(effect: WireEffect, wire: Wire, reply: () => WireReply): Promise<Fate> {
  if (effect.kind === "drop-reply") return reset(wire);
  if (effect.kind === "cut") return await cut(wire, reply(), effect.share ?? 0.5, effect.announced ?? "sent");
  if (effect.kind === "content-type") return await sendInstead(wire, under(effect.value, reply()));
  if (effect.kind === "hold" && effect.when === "after") await wire.hold();
  else if (effect.kind === "call" && effect.when === "after") await effect.run();
  return "goes-on";
}

/** Sends a reply that does not come from the service. */
export async function sendInstead({ response, entry }: Wire, { status, headers, text }: WireReply): Promise<Fate> {
  entry.reply = "spoilt";
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(text, () => resolve());
  });
  return "answered";
}

/** Returns a page like those of proxies and captive portals. */
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

/** With the length of the sent bytes the reply looks complete. With the length of the complete reply the connection ends too early. */
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
