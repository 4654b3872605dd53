import { type RetryPolicy, USUAL_BACKOFF } from "../../../http/retry-policy.js";
import { NEVER_SENT } from "../../../http/transport-errors.js";
import { REFUSALS } from "./openstack-error.js";

/**
 * How often a service of the cloud is asked. Behind each stands a load balancer with several workers, so that the next
 * try mostly meets another one. A service that is not reached, or that counts requests, has done nothing: those are sent
 * again whatever they ask for. How long it wants to be left alone is its own to say, up to a minute.
 */
export const OPENSTACK_RETRY: RetryPolicy = {
  tries: 4,
  backoff: USUAL_BACKOFF,
  repeatable: [REFUSALS.failed.code, REFUSALS.unavailable.code, "request-timed-out", "connection-lost", "reply-empty", "reply-not-json"],
  any: [REFUSALS["rate-limited"].code, "service-unreachable"],
  // A refusal is thrown as it is, also one that leaves it open whether something was done: writers look then.
  certain: [...NEVER_SENT, "service-unreachable", "unexpected-http-status", ...Object.values(REFUSALS).map(({ code }) => code)],
  askedWait: { longest: 60_000, isAtLeastUsual: true },
};
