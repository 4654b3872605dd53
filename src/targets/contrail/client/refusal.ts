import { PlumblineError } from "../../../core/errors.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import type { ErrorText } from "./error-text.js";

/** Reason why the controller refused a request. `exists` and `referred` both have status 409. */
type RefusalReason =
  | "not-found"
  | "exists"
  | "referred"
  | "conflict"
  | "quota"
  | "permission"
  | "authentication"
  | "bad-request"
  | "too-large"
  | "failed"
  | "unavailable";

export interface ControllerRefusal {
  readonly reason: RefusalReason;
  readonly status: number;
  /** Message of the controller. */
  readonly words: string;
}

const BY_STATUS: ReadonlyMap<number, RefusalReason> = new Map([
  [400, "bad-request"],
  [401, "authentication"],
  [403, "permission"],
  [404, "not-found"],
  [412, "quota"],
  [413, "too-large"],
  [500, "failed"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "unavailable"],
]);

/** Returns the reason for an error status. Undefined for a status that the controller never sends. */
export function refusalOf(status: number, { text }: ErrorText): ControllerRefusal | undefined {
  const reason = status === 409 ? conflictReason(text) : BY_STATUS.get(status);
  return reason === undefined ? undefined : { reason, status, words: text };
}

function conflictReason(text: string): RefusalReason {
  if (/\balready exists with\b/.test(text)) return "exists";
  return /^Delete when (resource still referred|children still present)/.test(text) ? "referred" : "conflict";
}

/** Converts a refusal to an error. `what` names the request, for example `PUT /virtual-network/…`. */
export function refusalError({ reason, status, words }: ControllerRefusal, what: string, place: ServerOrigin): PlumblineError {
  const message = `${place.origin} refuses ${what} (HTTP status ${status}): ${words === "" ? "no reason given" : words}`;
  const where = { target: place.target };
  switch (reason) {
    case "not-found":
      return new PlumblineError("controller-not-found", message, { where, next: "Run again: the object is read again." });
    case "exists":
      return new PlumblineError("controller-exists", message, {
        where,
        next: "Check who created the object of that name. An object that lists omit is hidden from this account.",
      });
    case "referred":
      return new PlumblineError("controller-still-referred", message, {
        where,
        next: "Delete its referrers and children first. The text names only the first kind.",
      });
    case "conflict":
      return new PlumblineError("controller-conflict", message, {
        where,
        next: "Release the objects in use, or correct the addresses of the desired state.",
      });
    case "quota":
      return new PlumblineError("controller-quota", message, {
        where,
        next: "Raise the quota of the project, or delete unused objects.",
      });
    case "permission":
      return new PlumblineError("controller-permission", message, {
        where,
        next: "Give the account a role with this permission, or ask the owner of the object to share it.",
      });
    case "authentication":
      return new PlumblineError("controller-authentication", message, {
        where,
        next: "Check `auth` of the target: a token from another cloud, or an account of another port, is refused so.",
      });
    case "bad-request":
      return new PlumblineError("controller-bad-request", message, {
        where,
        next: "Correct the value that the controller names in the desired state.",
      });
    case "too-large":
      return new PlumblineError("controller-too-large", message, {
        where,
        next: "Split the object, or raise max_request_size of the controller.",
      });
    case "failed":
      return new PlumblineError("controller-failed", message, {
        where,
        next: "Correct the value that the controller names. Some fixed values cause this error. Otherwise check its log.",
      });
    case "unavailable":
      return new PlumblineError("controller-unavailable", message, {
        where,
        next: "Wait until the controller and its database answer again, then run again.",
      });
  }
}
