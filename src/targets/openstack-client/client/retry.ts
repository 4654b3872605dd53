import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";
import { REFUSALS } from "./openstack-error.js";

/**
 * Retries of requests to a service. Each service has a load balancer with several workers, so a retry usually reaches another worker. A
 * request is repeated, even a write, if the service was not reached or if it limits the rate, because the request then had no effect. A
 * requested wait is respected up to one minute. A read that times out is repeated once, so it takes at most two timeouts.
 */
export const OPENSTACK_RETRY: RetryPolicy = {
  tries: 4,
  timedOutTries: 2,
  backoff: USUAL_BACKOFF,
  repeatable: [REFUSALS.failed.code, REFUSALS.unavailable.code, "request-timed-out", "connection-lost", "reply-empty", "reply-not-json"],
  any: [REFUSALS["rate-limited"].code, "service-unreachable"],
  // A refusal is thrown unchanged, even if the outcome of the request is unknown. Writers then check the state.
  certain: [...NEVER_SENT, "service-unreachable", "unexpected-http-status", ...Object.values(REFUSALS).map(({ code }) => code)],
  requestedWait: { longest: 60_000, isAtLeastUsual: true },
};
