import { PlumblineError } from "../../../core/errors.js";
import type { ServiceType } from "./request.js";

/**
 * Reason of a refusal. `in-use`: another object refers to the object; `conflict`: any other 409; `changed`: the revision is outdated (412).
 */
export type RefusalKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "quota"
  | "not-found"
  | "not-offered"
  | "in-use"
  | "conflict"
  | "changed"
  | "too-large"
  | "rate-limited"
  | "failed"
  | "unavailable";

/** Error code and advice by reason. Each code is in `src/report/error-reference`. */
export const REFUSALS: Readonly<Record<RefusalKind, { readonly code: string; readonly next: string }>> = {
  invalid: { code: "cloud-request-invalid", next: "Correct the value that the service names in the desired state." },
  unauthorized: {
    code: "cloud-token-refused",
    next: "Check that the account is still enabled, and that the identity service and this service belong to one cloud.",
  },
  forbidden: { code: "cloud-forbidden", next: "Give the account a role that may do this, or take it out of the desired state." },
  quota: { code: "cloud-quota-exceeded", next: "Raise the quota of the project, or delete unused objects." },
  "not-found": { code: "cloud-not-found", next: "Run again: the object is read again." },
  "not-offered": { code: "cloud-version-not-offered", next: "Check the versions that the service offers." },
  "in-use": {
    code: "cloud-in-use",
    next: "Remove the users of the object first. Look for unmanaged ports, interfaces and servers.",
  },
  conflict: { code: "cloud-conflict", next: "Check the object that the service names: it has the value, or is not ready yet." },
  changed: { code: "cloud-changed-meanwhile", next: "Run again: the object was changed after it was read." },
  "too-large": { code: "cloud-request-too-large", next: "Split the object, or raise the service's limit." },
  "rate-limited": { code: "cloud-rate-limited", next: "Wait, then run again; lower concurrency of the target if it stays so." },
  failed: { code: "cloud-service-failed", next: "Look for the request in the service's log, then run again." },
  unavailable: { code: "cloud-service-unavailable", next: "Wait until the service answers again, then run again." },
};

export interface RefusalFacts {
  readonly target: string;
  readonly service: ServiceType;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The request, for example `DELETE networks/…`. */
  readonly request: string;
  readonly refusal: RefusalKind;
  readonly status: number;
  /** Error type of the service, for example `NetworkInUse`, `badRequest` or `Unauthorized`. */
  readonly type: string | undefined;
  /** Message of the service, without secrets. */
  readonly words: string;
  readonly requestId: string | undefined;
}

/** A refusal of a service. Callers can inspect `refusal`, `status` and `type`. */
export class OpenstackError extends PlumblineError {
  readonly service: ServiceType;
  readonly refusal: RefusalKind;
  readonly status: number;
  readonly type: string | undefined;
  readonly words: string;
  readonly requestId: string | undefined;

  constructor(facts: RefusalFacts) {
    const { code, next } = REFUSALS[facts.refusal];
    super(code, messageOf(facts), { where: { target: facts.target }, next });
    this.service = facts.service;
    this.refusal = facts.refusal;
    this.status = facts.status;
    this.type = facts.type;
    this.words = facts.words;
    this.requestId = facts.requestId;
  }
}

function messageOf({ service, origin, request, status, type, words, requestId }: RefusalFacts): string {
  const details = [`HTTP ${status}`, type, requestId].filter((part) => part !== undefined).join(", ");
  return `the ${service} service at ${origin} refuses ${request}: ${words === "" ? "no reason given" : words} (${details})`;
}

/** Whether the service reports that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof OpenstackError && error.refusal === "not-found";
}

/** Whether the service did not answer a write within the timeout of the target. It may still be working on it. */
export function isWriteTimedOut(error: unknown): error is PlumblineError {
  return (
    isOutcomeUnknown(error) && error instanceof Error && error.cause instanceof PlumblineError && error.cause.code === "request-timed-out"
  );
}

/**
 * Whether the service may still work on a write, or do it later. Only an error that the service itself reports (HTTP 500 and 503) proves that
 * it does not. A proxy reports the others (502 and 504).
 */
export function mayStillHappen(error: unknown): boolean {
  return isOutcomeUnknown(error) && !(error instanceof OpenstackError && (error.status === 500 || error.status === 503));
}

/** Whether a write may have succeeded despite `error`. The caller must check the state before a retry. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof OpenstackError) return error.refusal === "failed" || error.refusal === "unavailable";
  return error instanceof PlumblineError && error.code === "reply-lost";
}
