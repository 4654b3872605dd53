import { PlumblineError } from "../../../core/errors.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import type { Words } from "./words.js";

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
export function refusalOf(status: number, { text }: Words): ControllerRefusal | undefined {
  const reason = status === 409 ? conflictReason(text) : BY_STATUS.get(status);
  return reason === undefined ? undefined : { reason, status, words: text };
}

function conflictReason(text: string): RefusalReason {
  if (/\balready exists with\b/.test(text)) return "exists";
  return /^Delete when (resource still referred|children still present)/.test(text) ? "referred" : "conflict";
}

/** Converts a refusal to an error. `what` names the request, for example `PUT /virtual-network/…`. */
export function refusalError({ reason, status, words }: ControllerRefusal, what: string, place: ServerOrigin): PlumblineError {
  const said = `${place.origin} refuses ${what} (HTTP status ${status}): ${words === "" ? "no reason given" : words}`;
  const where = { target: place.target };
  switch (reason) {
    case "not-found":
      return new PlumblineError("controller-not-found", said, { where, next: "Run again: the object is looked for anew." });
    case "exists":
      return new PlumblineError("controller-exists", said, {
        where,
        next: "Look who made the object of that name; one that lists do not show is hidden from our account.",
      });
    case "referred":
      return new PlumblineError("controller-still-referred", said, {
        where,
        next: "Take away what refers to the object or lies below it first; the text names only the first kind of it.",
      });
    case "conflict":
      return new PlumblineError("controller-conflict", said, {
        where,
        next: "Release what is in use, or correct the addresses of the desired state.",
      });
    case "quota":
      return new PlumblineError("controller-quota", said, {
        where,
        next: "Raise the quota of the project, or delete what it no longer needs.",
      });
    case "permission":
      return new PlumblineError("controller-permission", said, {
        where,
        next: "Give our account a role that may do this, or ask the owner of the object to share it.",
      });
    case "authentication":
      return new PlumblineError("controller-authentication", said, {
        where,
        next: "Check `auth` of the target: a token from another cloud, or an account of another port, is refused so.",
      });
    case "bad-request":
      return new PlumblineError("controller-bad-request", said, {
        where,
        next: "Correct the value that the controller names in the desired state.",
      });
    case "too-large":
      return new PlumblineError("controller-too-large", said, {
        where,
        next: "Split the object, or raise max_request_size of the controller.",
      });
    case "failed":
      return new PlumblineError("controller-failed", said, {
        where,
        next: "Correct what the controller names; some values that it cannot change end so. Else look into its log.",
      });
    case "unavailable":
      return new PlumblineError("controller-unavailable", said, {
        where,
        next: "Wait until the controller and its database answer again, then run again.",
      });
  }
}
