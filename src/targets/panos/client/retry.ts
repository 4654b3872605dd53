import type { PlumblineError } from "../../../core/errors.js";
import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";

/**
 * How often the firewall is asked. Its management plane stops answering while it commits or restarts, in any of these
 * ways, and is back soon after. A write goes out once, even where it never left: who sends it looks first what stands.
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
  // The last two: the device's web server turned the request away, before the device could act on it.
  certain: [...NEVER_SENT, "request-too-long", "unexpected-http-status"],
};

/** True for what may be gone a second later. */
export function passes(error: PlumblineError): boolean {
  return PANOS_RETRY.repeatable.includes(error.code);
}
