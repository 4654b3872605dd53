import { PlumblineError } from "./errors.js";

/** Throws `interrupted` if the run must stop. Called between two steps of read-only work. */
export function throwIfStopped(stop: AbortSignal): void {
  if (stop.aborted) throw interrupted();
}

export function interrupted(): PlumblineError {
  return new PlumblineError("interrupted", "The run was stopped", { next: "Run again." });
}

/** Errors that a stop causes, because it closes connections and ends git. */
const CAUSED_BY_STOP: ReadonlySet<string> = new Set([
  "device-unreachable",
  "reply-lost",
  "request-timed-out",
  "checkout-unreadable",
  "source-unreachable",
  "ledger-unreadable",
  "ledger-unwritable",
  "notices-unreadable",
  "notices-unwritable",
]);

/**
 * Returns the error of a target after a stop of the run. An error about a connection or git is only its consequence, so its advice does not
 * apply. Other errors are unchanged: for example, a commit may have been rolled back.
 */
export function endedByStop(error: PlumblineError, stop: AbortSignal | undefined): PlumblineError {
  const { code, message, where, severity } = error;
  if (stop?.aborted !== true || !CAUSED_BY_STOP.has(code)) return error;
  if (severity === "partial")
    return new PlumblineError(code, message, {
      where,
      severity,
      next: "The run was stopped. Run again to complete or revert the changes.",
      cause: error,
    });
  return new PlumblineError("interrupted", "The run was stopped", { where, next: "Run again.", cause: error });
}
