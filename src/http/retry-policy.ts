/** Rules for retries. Each client has its own, with its reasons next to it. */
export interface RetryPolicy {
  /** Total number of tries, including the first. */
  readonly tries: number;
  /** Total number of tries that a server does not answer in time. The default is `tries`. */
  readonly timedOutTries?: number;
  readonly backoff: Backoff;
  /** Error codes after which a repeatable request is retried. */
  readonly repeatable: readonly string[];
  /** Error codes that prove that the request had no effect. Any request is retried after them. */
  readonly any: readonly string[];
  /** Error codes after which the caller knows or checks the result of a write. After any other error, the reply counts as lost. */
  readonly certain: readonly string[];
  /** Undefined if the wait that the server requests is ignored. */
  readonly requestedWait?: {
    /** Milliseconds. If the server requests more, there is no retry. */
    readonly longest: number;
    /** Use the usual wait if the server requests a shorter one. */
    readonly isAtLeastUsual: boolean;
  };
}

/** Exponential backoff. The wait doubles with each try up to `longest`, and is partly random. */
export interface Backoff {
  /** Maximum milliseconds before the second try. */
  readonly base: number;
  readonly longest: number;
  /** `full`: random from 0. `half`: at least half of the wait. */
  readonly jitter: "full" | "half";
}

/** Half a second, doubled up to eight seconds, with full jitter, so that clients that failed together do not retry together. */
export const USUAL_BACKOFF: Backoff = { base: 500, longest: 8_000, jitter: "full" };

/**
 * Returns the milliseconds before try `next` (the second try is 2).
 * @internal Exported for its test.
 */
export function backoff({ base, longest, jitter }: Backoff, next: number, random: () => number): number {
  const most = Math.min(longest, base * 2 ** (next - 2));
  return Math.floor(most * (jitter === "full" ? random() : 0.5 + random() / 2));
}

/** Result of the previous try. */
export interface FailedTry {
  readonly code: string;
  /** The request may be carried out twice. */
  readonly repeatable: boolean;
  /** Milliseconds that the server requests to wait. */
  readonly requestedWait: number | undefined;
}

/** Returns the milliseconds before try `next`. Undefined if there is none. */
export function waitBefore(next: number, policy: RetryPolicy, failed: FailedTry, random: () => number): number | undefined {
  const isDue = policy.any.includes(failed.code) || (failed.repeatable && policy.repeatable.includes(failed.code));
  const tries = failed.code === "request-timed-out" ? (policy.timedOutTries ?? policy.tries) : policy.tries;
  if (next > tries || !isDue) return undefined;
  const usual = backoff(policy.backoff, next, random);
  if (policy.requestedWait === undefined || failed.requestedWait === undefined) return usual;
  const { longest, isAtLeastUsual } = policy.requestedWait;
  if (failed.requestedWait > longest) return undefined;
  return isAtLeastUsual ? Math.max(failed.requestedWait, usual) : failed.requestedWait;
}
