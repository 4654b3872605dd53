import pLimit, { type LimitFunction } from "p-limit";
import { PlumblineError } from "../../../core/errors.js";
import type { TlsTrust } from "../../../core/tls-trust.js";
import { Connection } from "../../../http/connection.js";
import type { HttpDependencies } from "../../../http/dependencies.js";
import type { HttpReply } from "../../../http/message.js";
import type { OwnCertificate } from "../../../http/tls.js";
import type { Method, ServiceType } from "./request.js";

/** Connection settings for the services of one cloud. */
export interface WireOptions {
  readonly target: string;
  readonly tls: TlsTrust;
  /** PEM files of the client certificate and its key, if the cloud requires one. */
  readonly clientCertificate: OwnCertificate | undefined;
  /** Maximum time without data from a service, in seconds. */
  readonly timeout: number;
  /** Maximum number of concurrent requests to one service. */
  readonly concurrency: number;
  readonly maxReplyBytes: number;
}

export interface Exchange {
  readonly service: ServiceType;
  readonly origin: string;
  readonly method: Method;
  /** Path including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Sends single requests. It has one connection pool per origin, and a limit of concurrent requests per service. */
export class Wire {
  readonly #options: WireOptions;
  readonly #dependencies: HttpDependencies;
  readonly #connections = new Map<string, Connection>();
  readonly #slots = new Map<ServiceType, LimitFunction>();

  constructor(options: WireOptions, dependencies: HttpDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Sends a request once. @throws PlumblineError for transport failures, with messages for services */
  exchange({ service, origin, method, path, headers, body }: Exchange): Promise<HttpReply> {
    return this.#slotsOf(service)(() =>
      this.#connectionTo(origin).exchange({
        method,
        path,
        headers: { accept: "application/json", ...headers },
        body,
        isRead: method === "GET",
        call: `${service} ${method}`,
        logged: { service, method, path: path.split("?")[0] },
      }),
    );
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) await connection.close();
  }

  #slotsOf(service: ServiceType): LimitFunction {
    const slots = this.#slots.get(service) ?? pLimit(this.#options.concurrency);
    this.#slots.set(service, slots);
    return slots;
  }

  #connectionTo(origin: string): Connection {
    const { target, tls, clientCertificate: ownCertificate, timeout, concurrency: connections, maxReplyBytes } = this.#options;
    const options = {
      place: { target, origin },
      kind: "openstack",
      peer: "the cloud",
      tls,
      ownCertificate,
      timeout,
      connections,
      maxReplyBytes,
      requestIdHeader: "x-openstack-request-id",
      explain: serviceTransportError,
    };
    const connection = this.#connections.get(origin) ?? new Connection(options, this.#dependencies);
    this.#connections.set(origin, connection);
    return connection;
  }
}

/** Converts a transport error to one with advice for cloud services. */
function serviceTransportError(cause: PlumblineError): PlumblineError {
  const { message, where } = cause;
  switch (cause.code) {
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
      return cause;
  }
}
