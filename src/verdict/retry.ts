import { type RetryPolicy, USUAL_BACKOFF } from "../http/retry-policy.js";

/**
 * How often the verdict service is asked. A query changes nothing, but each that may have left counts against the day's
 * allotment: one try fewer than for a target. What the service refuses it refuses again, and 419 until the next reset.
 */
export const VERDICT_RETRY: RetryPolicy = {
  tries: 3,
  backoff: USUAL_BACKOFF,
  repeatable: ["verdict-service-unavailable", "verdict-service-failed"],
  any: [],
  certain: [],
};
