import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";

/**
 * Retries of requests. The controller returns 503 while its database or message queue is unavailable, and closes connections when it
 * restarts. A reply that was cut off can be complete a second later. A write is sent once, even if it never left this machine: the caller
 * first reads the current state.
 */
export const CONTRAIL_RETRY: RetryPolicy = {
  tries: 4,
  backoff: USUAL_BACKOFF,
  repeatable: ["device-unreachable", "request-timed-out", "connection-lost", "controller-reply-broken", "controller-unavailable"],
  any: [],
  // `unexpected-http-status`: the server replied that it did not act.
  certain: [...NEVER_SENT, "unexpected-http-status"],
};
