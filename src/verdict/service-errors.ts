import { PlumblineError } from "../core/errors.js";

/** Error reply of the service, with its message if there is one. */
export interface ServiceRefusal {
  readonly origin: string;
  readonly status: number;
  readonly words: string | undefined;
}

/** Returns the error for an HTTP status (docs/contributing/devices/verdict-service.md). The client handles status 419 (`allotment.ts`). */
export function serviceError({ origin, status, words }: ServiceRefusal): PlumblineError {
  const message = words === undefined ? `HTTP status ${status}` : `HTTP status ${status}: ${words}`;
  switch (status) {
    case 401:
      return new PlumblineError("verdict-key-refused", `${origin} refuses the key (${message})`, {
        next: "Check PLUMBLINE_VERDICT_KEY or --key-file: the key is the verdict account's, not a firewall's.",
      });
    case 403:
      return new PlumblineError("verdict-forbidden", `${origin} does not permit the query (${message})`, {
        next: "Check in the portal of the account that its key may request verdicts.",
      });
    case 404:
    case 405:
      return new PlumblineError("verdict-service-not-there", `${origin} has no verdict query at this address (${message})`, {
        next: "Correct PLUMBLINE_VERDICT_URL or --url: it ends before /publicapi.",
      });
    case 413:
    case 418:
    case 420:
    case 421:
    case 422:
      return new PlumblineError("verdict-request-refused", `${origin} rejects the query (${message})`, {
        next: "Please report this: hashes are checked and counted before they are sent.",
      });
    default:
      return status >= 500 || status === 429 ? failed(origin, message) : unexpected(origin, message);
  }
}

/** Returns the error for a failed connection or a missing reply. Keeps the message, and the code if it starts with `tls-`. */
export function connectionError(cause: PlumblineError): PlumblineError {
  if (cause.code.startsWith("tls-")) {
    return new PlumblineError(cause.code, cause.message, {
      next: "Check the certificate of the service: --ca (PLUMBLINE_VERDICT_CA) names the PEM file of its authority, --pin its fingerprint.",
    });
  }
  return new PlumblineError("verdict-service-unavailable", `the verdict service does not answer: ${cause.message}`, {
    next: "Run again later; verdicts that were read before are kept.",
    cause,
  });
}

function failed(origin: string, message: string): PlumblineError {
  return new PlumblineError("verdict-service-failed", `${origin} failed to answer (${message})`, {
    next: "Run again later; verdicts that were read before are kept.",
  });
}

function unexpected(origin: string, message: string): PlumblineError {
  return new PlumblineError("verdict-http-status", `${origin} gave an unexpected answer (${message})`, {
    next: "Check that the address is that of the verdict service, and that no proxy answers in its place.",
  });
}
