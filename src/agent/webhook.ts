import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { SecretValue } from "../core/secret.js";
import { equal } from "./constant-time.js";

/** Maximum size of a delivery. Code hosts send a complete push. Its content is not used; a delivery only starts a fetch. */
export const MAX_WEBHOOK_BYTES = 5_000_000;
const REMEMBERED = 1000;

export type WebhookVerdict = "accepted" | "unsigned" | "wrong-signature" | "replayed";

/**
 * Verifies deliveries of GitHub and Gitea (HMAC-SHA256 of the body) and GitLab (a token). Each body is accepted once, so a recorded
 * delivery cannot be replayed with other headers.
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
    // The signature covers only the body, and a token does not cover even that. Other headers could differ in each replay.
    const delivery = createHash("sha256").update(body).digest("hex");
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

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
