import { PlumblineError } from "./errors.js";

/** Throws `interrupted` once the run was asked to stop, between two steps of something that only reads. */
export function goOnUnless(stop: AbortSignal): void {
  if (stop.aborted) throw interrupted();
}

export function interrupted(): PlumblineError {
  return new PlumblineError("interrupted", "The run was asked to stop", { next: "Run again." });
}
