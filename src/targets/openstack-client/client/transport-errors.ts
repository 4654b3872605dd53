import { PlumblineError } from "../../../core/errors.js";

/** Converts a transport error to one with advice for cloud services. */
export function serviceTransportError(said: PlumblineError): PlumblineError {
  const { message, where } = said;
  switch (said.code) {
    case "device-unreachable":
      return new PlumblineError("service-unreachable", message, {
        where,
        next: "Check that the service is up, and that its address in the catalog can be reached from here (interface, endpoints of the target).",
      });
    case "request-timed-out":
      return new PlumblineError("request-timed-out", message, {
        where,
        next: "Check the load of the service, or raise the timeout of the target.",
      });
    case "reply-not-http":
      return new PlumblineError("reply-not-http", message, {
        where,
        next: "Check the scheme and the port of the address: a service behind TLS answers plain HTTP so.",
      });
    case "connection-lost":
      return new PlumblineError("connection-lost", message, {
        where,
        next: "Run again. If the error persists, look for a proxy between this machine and the service.",
      });
    case "tls-untrusted":
      return new PlumblineError("tls-untrusted", message, {
        where,
        next: "Set cacert of the cloud (OS_CACERT, or tls.ca of the target) to the PEM file of the authority that signed it.",
      });
    default:
      return said;
  }
}
