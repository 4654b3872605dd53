import { PlumblineError, type Where } from "../core/errors.js";

/** Wraps the error of a target that supplies a value, for the place that refers to the value. */
export function unreadable(cause: PlumblineError, target: string, where: Where): PlumblineError {
  return new PlumblineError("reference-unreadable", `${target}, which the value comes from, cannot be read: ${cause.message}`, {
    where,
    next: cause.next,
    cause,
  });
}
