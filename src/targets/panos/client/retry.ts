import type { PlumblineError } from "../../../core/errors.js";
import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";

/**
 * Retries of requests to the firewall. While it commits or restarts, its management plane fails in any of these ways for a short time. A
 * write is never repeated automatically: the caller first checks the state.
 */
export const PANOS_RETRY: RetryPolicy = {
  tries: 4,
  backoff: USUAL_BACKOFF,
  repeatable: [
    "device-unreachable",
    "request-timed-out",
    "connection-lost",
    "reply-empty",
    "reply-not-well-formed",
    "device-unavailable",
    "session-timed-out",
  ],
  any: [],
  // In the last two cases, the web server rejected the request before the device could act on it.
  certain: [...NEVER_SENT, "request-too-long", "unexpected-http-status"],
};

/** Whether the failure may be temporary. */
export function passes(error: PlumblineError): boolean {
  return PANOS_RETRY.repeatable.includes(error.code);
}
