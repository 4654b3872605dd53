import { PlumblineError } from "../errors.js";

/** Codes of errors after which nobody knows whether the platform executed the request. */
const LOST = new Set(["connection-lost", "reply-lost", "request-timeout", "reply-truncated", "reply-unreadable"]);

/** True when the request may have been executed although it failed here. */
export function isLost(error: unknown): boolean {
  return error instanceof PlumblineError ? LOST.has(error.code) : true;
}

/** Any thrown value as an error that a user can meet. */
export function asPlumblineError(error: unknown, target: string): PlumblineError {
  if (error instanceof PlumblineError) return error;
  return new PlumblineError("unexpected", error instanceof Error ? error.message : String(error), {
    where: { target },
    next: "This should not happen; please report it with the log.",
    cause: error,
  });
}
