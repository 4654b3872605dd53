import type { PlumblineError } from "../core/errors.js";

/** Returns an error as JSON: code, message, severity, place and next action. */
export function errorView(error: PlumblineError) {
  return { code: error.code, message: error.message, severity: error.severity, where: error.where, next: error.next };
}
