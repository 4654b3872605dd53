import type { HttpReply } from "../http/message.js";
import type { RetryPolicy } from "../http/retry-policy.js";

/**
 * How often a code host is asked. A job that writes a comment has time, and a host in trouble is better left alone for
 * longer than a target of ours. It is taken at its word, up to two minutes: one that asks for more ends the run with the
 * time in the message. What may not be made twice is looked for before it is made again, so no error of it is lost.
 */
export const CODE_HOST_RETRY: RetryPolicy = {
  tries: 4,
  backoff: { base: 1_000, longest: 4_000, jitter: "half" },
  repeatable: ["code-host-unavailable"],
  any: ["code-host-rate-limited"],
  certain: ["code-host-unavailable", "code-host-rate-limited", "reply-too-large"],
  askedWait: { longest: 120_000, isAtLeastUsual: false },
};

const IN_TROUBLE: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Whether the same request may be answered well a little later. */
export function mayPass(reply: HttpReply): boolean {
  return isRateLimit(reply) || IN_TROUBLE.has(reply.status);
}

/** 429; GitHub also says 403, with a time to wait or an allotment of none left. */
export function isRateLimit({ status, headers }: HttpReply): boolean {
  return status === 429 || (status === 403 && (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0"));
}

/** What the host asks for, in milliseconds from now: `Retry-After` (seconds or a date), else the end of the rate limit's window. */
export function askedFor({ headers }: Pick<HttpReply, "headers">, now: number): number | undefined {
  const after = headers["retry-after"];
  if (typeof after === "string" && after !== "") {
    const moment = /^\d+$/.test(after) ? now + Number(after) * 1000 : Date.parse(after);
    if (!Number.isNaN(moment)) return Math.max(0, moment - now);
  }
  const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"];
  return typeof reset === "string" && /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - now) : undefined;
}
