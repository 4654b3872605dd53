import { isUnderLease } from "../core/write-lease.js";

/** The timeout of a target limits each wait for bytes. A complete reply may take this many timeouts by default. */
const COMPLETE_REPLY_TIMEOUTS = 20;

/**
 * Returns the maximum milliseconds for one exchange, from the timeout of the target in seconds. A write under a lease has one timeout in
 * total, including the connection, because the next holder of the lease waits that long. All other exchanges have `wholeReply` timeouts.
 */
export function exchangeTime(timeout: number, isRead: boolean, completeReply = COMPLETE_REPLY_TIMEOUTS): number {
  return timeout * 1000 * (isRead || !isUnderLease() ? completeReply : 1);
}

/**
 * Runs `work` with a signal that is aborted after `milliseconds`. Unlike `AbortSignal.timeout`, the timer ends with the work. A busy agent
 * would otherwise accumulate thousands of timers.
 */
export async function withDeadline<Result>(milliseconds: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), milliseconds);
  timer.unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
