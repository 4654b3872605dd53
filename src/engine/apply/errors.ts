import { PlumblineError } from "../../core/errors.js";
import { systemError } from "../../core/system-error.js";

/**
 * Returns true if the request may have been executed although it failed here: the target reports it (`reply-lost`), or the error is
 * unexpected.
 */
export function isLost(error: unknown): boolean {
  return !(error instanceof PlumblineError) || error.code === "reply-lost";
}

/** Converts any thrown value to an error that can be reported to the user. */
export function asPlumblineError(error: unknown, target: string): PlumblineError {
  if (error instanceof PlumblineError) return error;
  const system = systemError(error, target);
  if (system !== undefined) return system;
  return new PlumblineError("unexpected", error instanceof Error ? error.message : String(error), {
    where: { target },
    next: "This should not happen; please report it with the log.",
    cause: error,
  });
}
