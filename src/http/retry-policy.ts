/** When a request is sent again, as data: each client has its own, with the reasons beside it. */
export interface RetryPolicy {
  /** Tries in all, the first among them. */
  readonly tries: number;
  readonly backoff: Backoff;
  /** Codes of errors after which a request is sent again that may be carried out twice. */
  readonly repeatable: readonly string[];
  /** Codes of errors that say that nothing was done: after them any request is sent again. */
  readonly any: readonly string[];
  /** Codes of errors that leave no doubt what became of a write, or are looked into by the caller. After any other its reply is lost. */
  readonly certain: readonly string[];
  /** Left out where it is not looked at how long the server asks to wait. */
  readonly askedWait?: {
    /** Milliseconds; a server that asks for more patience is given up on. */
    readonly longest: number;
    /** The usual wait is kept to where the server asks for a shorter one. */
    readonly isAtLeastUsual: boolean;
  };
}

/** Exponential: the wait doubles from try to try, is never longer than `longest`, and part of it is chance. */
export interface Backoff {
  /** Milliseconds before the second try, at most. */
  readonly base: number;
  readonly longest: number;
  /** `full`: anything from 0; `half`: at least half of it. */
  readonly jitter: "full" | "half";
}

/** Half a second doubled up to eight, with full jitter, so that clients which failed together come back apart. */
export const USUAL_BACKOFF: Backoff = { base: 500, longest: 8_000, jitter: "full" };

/**
 * Milliseconds to wait before try `next` (the second try is 2).
 *
 * @internal Exported for its test.
 */
export function backoff({ base, longest, jitter }: Backoff, next: number, random: () => number): number {
  const most = Math.min(longest, base * 2 ** (next - 2));
  return Math.floor(most * (jitter === "full" ? random() : 0.5 + random() / 2));
}

/** What the try before came to. */
export interface FailedTry {
  readonly code: string;
  /** The request may be carried out twice. */
  readonly repeatable: boolean;
  /** Milliseconds that the server asks to wait. */
  readonly askedWait: number | undefined;
}

/** Milliseconds to wait before try `next`; undefined where there is to be none. */
export function waitBefore(next: number, policy: RetryPolicy, failed: FailedTry, random: () => number): number | undefined {
  const isDue = policy.any.includes(failed.code) || (failed.repeatable && policy.repeatable.includes(failed.code));
  if (next > policy.tries || !isDue) return undefined;
  const usual = backoff(policy.backoff, next, random);
  if (policy.askedWait === undefined || failed.askedWait === undefined) return usual;
  const { longest, isAtLeastUsual } = policy.askedWait;
  if (failed.askedWait > longest) return undefined;
  return isAtLeastUsual ? Math.max(failed.askedWait, usual) : failed.askedWait;
}
