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
