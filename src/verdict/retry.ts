import { type RetryPolicy, USUAL_BACKOFF } from "../http/retry-policy.js";

/**
 * Retries of verdict queries. Each query that may have been sent counts against the daily allotment, so there is one try fewer than for a
 * target. Refusals are not retried: the service would refuse again, with status 419 until the next reset.
 */
export const VERDICT_RETRY: RetryPolicy = {
  tries: 3,
  backoff: USUAL_BACKOFF,
  repeatable: ["verdict-service-unavailable", "verdict-service-failed"],
  any: [],
  certain: [],
};
