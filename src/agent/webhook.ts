import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { SecretValue } from "../core/secret.js";

/** Code hosts send a whole push; what they say is not believed, only that there is something to fetch. */
export const MAX_WEBHOOK_BYTES = 5_000_000;
const REMEMBERED = 1000;

export type WebhookVerdict = "accepted" | "unsigned" | "wrong-signature" | "replayed";

/**
 * Judges deliveries of GitHub and Gitea (HMAC-SHA256 of the body) and GitLab (a token). Each is taken once: who repeats
 * one that was overheard gets nothing.
 */
export class WebhookGate {
  readonly #secret: SecretValue;
  readonly #seen = new Set<string>();

  constructor(secret: SecretValue) {
    this.#secret = secret;
  }

  judge(headers: IncomingHttpHeaders, body: Buffer): WebhookVerdict {
    const signature = signatureIn(headers);
    if (signature === undefined) return "unsigned";
    const secret = this.#secret.reveal();
    const expected = signature.kind === "token" ? secret : createHmac("sha256", secret).update(body).digest("hex");
    if (!equal(signature.value, expected)) return "wrong-signature";
    const delivery = deliveryOf(headers, body);
    if (this.#seen.has(delivery)) return "replayed";
    this.#seen.add(delivery);
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.values().next().value as string);
    return "accepted";
  }
}

interface Signature {
  readonly kind: "hmac" | "token";
  readonly value: string;
}

function signatureIn(headers: IncomingHttpHeaders): Signature | undefined {
  const github = one(headers["x-hub-signature-256"]);
  if (github !== undefined) return { kind: "hmac", value: github.replace(/^sha256=/, "") };
  const gitea = one(headers["x-gitea-signature"]);
  if (gitea !== undefined) return { kind: "hmac", value: gitea };
  const gitlab = one(headers["x-gitlab-token"]);
  return gitlab === undefined ? undefined : { kind: "token", value: gitlab };
}

/**
 * What makes a delivery this one. A signature covers the body alone, so that a header can be made up: where the body is
 * signed it is the body that must be new. A token signs nothing; there the delivery's own number has to do.
 */
function deliveryOf(headers: IncomingHttpHeaders, body: Buffer): string {
  const number = one(headers["x-gitlab-webhook-uuid"]) ?? one(headers["x-gitlab-event-uuid"]) ?? one(headers["idempotency-key"]);
  const isSigned = headers["x-gitlab-token"] === undefined;
  return !isSigned && number !== undefined ? `gitlab ${number}` : createHash("sha256").update(body).digest("hex");
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** In a time that tells nothing of where two texts differ. */
function equal(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
