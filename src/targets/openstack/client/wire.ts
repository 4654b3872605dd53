import pLimit, { type LimitFunction } from "p-limit";
import type { TlsTrust } from "../../../core/tls-trust.js";
import { Connection } from "../../../http/connection.js";
import type { HttpDependencies } from "../../../http/dependencies.js";
import type { HttpReply } from "../../../http/message.js";
import type { OwnCertificate } from "../../../http/tls.js";
import type { Method, ServiceType } from "./request.js";
import { serviceTransportError } from "./transport-errors.js";

/** How the services of one cloud are connected to. */
export interface WireOptions {
  readonly target: string;
  readonly tls: TlsTrust;
  /** PEM files of our own certificate and its key, where the cloud asks for one. */
  readonly clientCertificate: OwnCertificate | undefined;
  /** Seconds that a service may be silent. */
  readonly timeout: number;
  /** Requests to one service at once. */
  readonly concurrency: number;
  readonly maxReplyBytes: number;
}

export interface Exchange {
  readonly service: ServiceType;
  readonly origin: string;
  readonly method: Method;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Carries single requests: connections an origin, a bound of requests at once a service. */
export class Wire {
  readonly #options: WireOptions;
  readonly #dependencies: HttpDependencies;
  readonly #connections = new Map<string, Connection>();
  readonly #slots = new Map<ServiceType, LimitFunction>();

  constructor(options: WireOptions, dependencies: HttpDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Sends once. @throws PlumblineError for what the transport failed at, in the words of a service */
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
