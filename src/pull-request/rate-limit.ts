import type { HttpReply } from "../http/message.js";
import type { RetryPolicy } from "../http/retry-policy.js";

/**
 * Retries of requests to a code host. The first waits are longer than for a target, because a job that writes a comment has time. If the
 * host requests a wait of more than two minutes, there is no retry. `certain`: `createOnce` checks the result of a failed `POST`, so its
 * error is not replaced by `reply-lost`.
 */
export const CODE_HOST_RETRY: RetryPolicy = {
  tries: 4,
  backoff: { base: 1_000, longest: 4_000, jitter: "half" },
  repeatable: ["code-host-unavailable"],
  any: ["code-host-rate-limited"],
  certain: ["code-host-unavailable", "code-host-rate-limited", "reply-too-large"],
  requestedWait: { longest: 120_000, isAtLeastUsual: false },
};

const IN_TROUBLE: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Returns whether the same request may succeed later. */
export function mayPass(reply: HttpReply): boolean {
  return isRateLimit(reply) || IN_TROUBLE.has(reply.status);
}

/** GitHub also sends 403, with a time to wait or no requests left. */
export function isRateLimit({ status, headers }: HttpReply): boolean {
  return status === 429 || (status === 403 && (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0"));
}

/** Returns the milliseconds that the host requests to wait: `Retry-After` (seconds or a date), or else the end of the rate limit window. */
export function requestedWait({ headers }: Pick<HttpReply, "headers">, now: number): number | undefined {
  const after = headers["retry-after"];
  if (typeof after === "string" && after !== "") {
    const time = /^\d+$/.test(after) ? now + Number(after) * 1000 : Date.parse(after);
    if (!Number.isNaN(time)) return Math.max(0, time - now);
  }
  const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"];
  return typeof reset === "string" && /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - now) : undefined;
}
