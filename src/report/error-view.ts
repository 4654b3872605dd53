import type { PlumblineError } from "../core/errors.js";

/** An error as JSON: code, message, place, next step. */
export function errorView(error: PlumblineError) {
  return { code: error.code, message: error.message, severity: error.severity, where: error.where, next: error.next };
}
