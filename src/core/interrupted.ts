import { PlumblineError } from "./errors.js";

/** Throws `interrupted` if the run must stop. Called between two steps of read-only work. */
export function throwIfStopped(stop: AbortSignal): void {
  if (stop.aborted) throw interrupted();
}

export function interrupted(): PlumblineError {
  return new PlumblineError("interrupted", "The run was stopped", { next: "Run again." });
}

/**
 * Returns the error of a target after a stop of the run. The stop closes connections and ends git, so an error about them is only its
 * consequence, and its advice does not apply. A refusal of the plan and changes that remain on the target are reported in any case.
 */
export function endedByStop(error: PlumblineError, stop: AbortSignal | undefined): PlumblineError {
  const { code, message, where, severity } = error;
  if (stop?.aborted !== true || code === "interrupted") return error;
  if (severity === "partial")
    return new PlumblineError(code, message, {
      where,
      severity,
      next: "The run was stopped. Run again to complete or revert the changes.",
      cause: error,
    });
  if (severity === "refused" && code !== "notices-unreadable") return error;
  return new PlumblineError("interrupted", "The run was stopped", { where, next: "Run again.", cause: error });
}
