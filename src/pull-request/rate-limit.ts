import { PlumblineError } from "../core/errors.js";
import type { ApiDependencies, Method, Reply } from "./api.js";

/** Longest that one wait may take; a host that asks for more ends the run with the time in the message. */
export const LONGEST_WAIT = 120_000;

const BASE = 1_000;
const PASSING: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/**
 * Milliseconds to wait before a request is sent again, or undefined where that makes no sense: a refusal, a wait beyond
 * two minutes, a `POST` that may have done its work.
 */
export function waitFor(
  method: Method,
  outcome: Reply | PlumblineError,
  attempt: number,
  dependencies: ApiDependencies,
): number | undefined {
  if (outcome instanceof PlumblineError)
    return method === "POST" || outcome.code !== "code-host-unavailable" ? undefined : backoff(attempt, dependencies);
  if (isRateLimit(outcome)) {
    const asked = askedFor(outcome, dependencies.now()) ?? backoff(attempt, dependencies);
    return asked <= LONGEST_WAIT ? asked : undefined;
  }
  if (!PASSING.has(outcome.status) || method === "POST") return undefined;
  const asked = askedFor(outcome, dependencies.now()) ?? backoff(attempt, dependencies);
  return asked <= LONGEST_WAIT ? asked : undefined;
}

/** 429; GitHub also says 403, with a time to wait or an allotment of none left. */
export function isRateLimit({ status, headers }: Reply): boolean {
  return status === 429 || (status === 403 && (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0"));
}

/** What the host asks for, in milliseconds from now: `Retry-After` (seconds or a date), else the end of the rate limit's window. */
export function askedFor({ headers }: Pick<Reply, "headers">, now: number): number | undefined {
  const after = headers["retry-after"];
  if (typeof after === "string" && after !== "") {
    const moment = /^\d+$/.test(after) ? now + Number(after) * 1000 : Date.parse(after);
    if (!Number.isNaN(moment)) return Math.max(0, moment - now);
  }
  const reset = headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"];
  return typeof reset === "string" && /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - now) : undefined;
}

function backoff(attempt: number, { random }: ApiDependencies): number {
  return Math.floor(BASE * 2 ** (attempt - 1) * (0.5 + random() / 2));
}
