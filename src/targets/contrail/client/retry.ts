import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";

/**
 * How often the controller is asked. It says 503 while its database or its message queue is away, and closes connections
 * when it restarts; a reply that was cut can be whole a second later. A write goes out once, even where it never left:
 * who sends it looks first what stands.
 */
export const CONTRAIL_RETRY: RetryPolicy = {
  tries: 4,
  backoff: USUAL_BACKOFF,
  repeatable: ["device-unreachable", "request-timed-out", "connection-lost", "controller-reply-broken", "controller-unavailable"],
  any: [],
  // The last: the server answered, and said that it did not act.
  certain: [...NEVER_SENT, "unexpected-http-status"],
};
