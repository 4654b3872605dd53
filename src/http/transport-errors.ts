import { PlumblineError } from "../core/errors.js";
import { PinMismatch } from "./tls.js";

/** Name of a device in messages: target and address. Neither is secret. */
export interface ServerOrigin {
  readonly target: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const TIMED_OUT = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT", "ABORT_ERR"]);
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CERT_REVOKED",
  "INVALID_CA",
]);

/**
 * Converts an error between the agent and the device. The cause is omitted on purpose: the error of a parser contains bytes of the reply,
 * which may include a key.
 */
export function transportError(error: unknown, place: ServerOrigin): PlumblineError {
  if (error instanceof PlumblineError) return error;
  const where = { target: place.target };
  if (error instanceof PinMismatch) {
    return new PlumblineError("tls-pin-mismatch", `${place.origin} has another certificate than the pinned one: ${error.actual}`, {
      where,
      next: "Find out why the certificate changed; put the new pin into tls.pin only when the change was meant.",
    });
  }
  const code = codeOf(error);
  return tlsError(code, place) ?? networkError(code, error, place);
}

function tlsError(code: string, place: ServerOrigin): PlumblineError | undefined {
  const where = { target: place.target };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new PlumblineError("tls-wrong-host", `the certificate of ${place.origin} is for another host`, {
      where,
      next: "Use the name or address in the certificate as url, give the device a certificate of its own, or set tls.pin.",
    });
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return new PlumblineError("tls-not-valid-now", `the certificate of ${place.origin} has expired or is not valid yet`, {
      where,
      next: "Renew the certificate of the device, and compare the clocks of both machines.",
    });
  }
  if (UNTRUSTED.has(code)) {
    return new PlumblineError("tls-untrusted", `the certificate of ${place.origin} is signed by an untrusted authority (${code})`, {
      where,
      next: "Set tls.ca to the PEM file of the authority that signed it, or tls.pin to its fingerprint.",
    });
  }
  if (code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS") || code === "EPROTO") {
    return new PlumblineError("tls-handshake-failed", `no TLS connection with ${place.origin} (${code})`, {
      where,
      next: "Check that the port of the url speaks TLS, and which protocol versions the device allows.",
    });
  }
  return undefined;
}

/** Note for users who expect a proxy. */
const DIRECT = [process.env.HTTPS_PROXY, process.env.https_proxy].some((proxy) => (proxy ?? "") !== "")
  ? " Targets are reached directly: HTTPS_PROXY is not used for them."
  : "";

function networkError(code: string, error: unknown, place: ServerOrigin): PlumblineError {
  const where = { target: place.target };
  if (code === "ENOTFOUND") {
    return new PlumblineError("host-not-found", `the host name of ${place.origin} has no address`, {
      where,
      next: "Check the url of the target, and the name service of this machine.",
    });
  }
  if (UNREACHABLE.has(code)) {
    return new PlumblineError("device-unreachable", `${place.origin} cannot be reached (${code})`, {
      where,
      next: `Check that the device is up, that its management interface permits this machine, and the url of the target.${DIRECT}`,
    });
  }
  if (TIMED_OUT.has(code) || (error instanceof Error && error.name === "TimeoutError")) {
    return new PlumblineError("request-timed-out", `${place.origin} did not answer in time`, {
      where,
      next: "Check the load of the management plane, or raise the timeout of the target.",
    });
  }
  if (code === "UND_ERR_HTTP_PARSER") {
    return new PlumblineError("reply-not-http", `${place.origin} does not answer with HTTP`, {
      where,
      next: "Set http: post for this target (too long URLs cause this answer), and check the url.",
    });
  }
  return new PlumblineError(
    "connection-lost",
    `the connection to ${place.origin} broke before the reply was complete (${code || "closed"})`,
    {
      where,
      next: "Run again. If the error persists, look for a proxy or a session limit between this machine and the device.",
    },
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error.name === "HTTPParserError") return "UND_ERR_HTTP_PARSER";
  const code = (error as NodeJS.ErrnoException).code;
  const cause = code === undefined || code === "UND_ERR_SOCKET" ? codeOf(error.cause) : "";
  if (error instanceof AggregateError && code === undefined) return codeOf(error.errors[0]);
  return cause !== "" ? cause : typeof code === "string" ? code : "";
}

/** Returns false for programming errors, which must not be converted. */
export function isTransportFailure(error: unknown): boolean {
  if (error instanceof PlumblineError || error instanceof PinMismatch) return true;
  if (error instanceof Error && error.name === "TimeoutError") return true;
  const code = codeOf(error);
  return code !== "" && !code.startsWith("ERR_INVALID");
}

/** Codes of failures before any part of the request could reach the server. */
export const NEVER_SENT: readonly string[] = [
  "host-not-found",
  "device-unreachable",
  "tls-pin-mismatch",
  "tls-wrong-host",
  "tls-not-valid-now",
  "tls-untrusted",
  "tls-handshake-failed",
  "tls-ca-unreadable",
  "tls-client-certificate-unreadable",
  "lease-lost",
  "address-in-the-clear",
];
