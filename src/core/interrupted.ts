import { PlumblineError } from "./errors.js";

/** Throws `interrupted` if the run must stop. Called between two steps of read-only work. */
export function throwIfStopped(stop: AbortSignal): void {
  if (stop.aborted) throw interrupted();
}

export function interrupted(): PlumblineError {
  return new PlumblineError("interrupted", "The run was stopped", { next: "Run again." });
}
