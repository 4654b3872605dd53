import { isUnderLease } from "../core/write-lease.js";

/** The timeout of a target bounds each wait for bytes; a whole reply may take this many of them, where nothing else is said. */
const WHOLE_REPLY_TIMEOUTS = 20;

/**
 * Milliseconds that one exchange with a target may take, whose timeout is in seconds. What writes under a lease has one
 * timeout in all, connecting included: whoever gets the lease next waits that long for it. Anything else has `wholeReply`
 * timeouts.
 */
export function exchangeTime(timeout: number, isRead: boolean, wholeReply = WHOLE_REPLY_TIMEOUTS): number {
  return timeout * 1000 * (isRead || !isUnderLease() ? wholeReply : 1);
}

/**
 * Does `work` with a signal that is aborted after `milliseconds`. Unlike `AbortSignal.timeout`, nothing of it outlives the
 * work: a timer for each request of a busy agent would be thousands.
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
