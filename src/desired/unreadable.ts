import { PlumblineError, type Where } from "../core/errors.js";

/** The error of a target that a value should have come from, told where the value is asked for. */
export function unreadable(cause: PlumblineError, target: string, where: Where): PlumblineError {
  return new PlumblineError("reference-unreadable", `${target}, which the value comes from, cannot be read: ${cause.message}`, {
    where,
    next: cause.next,
    cause,
  });
}
