import { readFile } from "node:fs/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Dispatcher } from "undici";
import { PlumblineError } from "../../../core/errors.js";
import { asking } from "../../../core/observe.js";
import type { TlsTrust } from "../../../core/tls-trust.js";
import { readBody } from "../../../http/body.js";
import { exchangeTime, withDeadline } from "../../../http/deadline.js";
import { trustedConnector } from "../../../http/tls.js";
import type { OpenstackDependencies } from "../dependencies.js";
import { headerOf, type RawReply } from "./reply.js";
import type { Method, ServiceType } from "./request.js";

/** How the services of one cloud are connected to. */
export interface WireOptions {
  readonly target: string;
  readonly tls: TlsTrust;
  /** PEM files of our own certificate and its key, where the cloud asks for one. */
  readonly clientCertificate: { readonly cert: string; readonly key: string } | undefined;
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

/** Carries single requests: a keep-alive pool an origin, a bound of requests at once a service. */
export class Wire {
  readonly #options: WireOptions;
  readonly #dependencies: OpenstackDependencies;
  readonly #pools = new Map<string, Promise<Dispatcher>>();
  readonly #slots = new Map<ServiceType, LimitFunction>();

  constructor(options: WireOptions, dependencies: OpenstackDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  async exchange(exchange: Exchange): Promise<RawReply> {
    const { service, method } = exchange;
    const asked = { target: this.#options.target, kind: "openstack", call: `${service} ${method}` };
    return await this.#slotsOf(service)(() =>
      asking(
        asked,
        ({ status }) => status,
        () => this.#send(exchange),
      ),
    );
  }

  async close(): Promise<void> {
    for (const pool of this.#pools.values()) await pool.then((opened) => opened.destroy());
  }

  async #send(exchange: Exchange): Promise<RawReply> {
    const milliseconds = exchangeTime(this.#options.timeout, exchange.method === "GET");
    return await withDeadline(milliseconds, (signal) => this.#roundTrip(exchange, signal));
  }

  async #roundTrip({ service, origin, method, path, headers, body }: Exchange, signal: AbortSignal): Promise<RawReply> {
    const { clock, logger } = this.#dependencies;
    const { target, maxReplyBytes } = this.#options;
    const pool = await this.#connect(origin);
    const started = clock.now();
    const response = await pool.request({
      origin,
      method,
      path,
      headers: { accept: "application/json", ...headers },
      body: body ?? null,
      signal,
    });
    const status = response.statusCode;
    const bytes = await readBody(response.body, headerOf(response, "content-length"), maxReplyBytes, { target, origin });
    const requestId = headerOf(response, "x-openstack-request-id");
    const took = Math.round(clock.now() - started);
    const called = path.split("?")[0];
    logger.debug({ target, service, method, path: called, status, bytes: bytes.length, took, requestId }, "asked the cloud");
    return { status, headers: response.headers, body: bytes.toString("utf8") };
  }

  #slotsOf(service: ServiceType): LimitFunction {
    const slots = this.#slots.get(service) ?? pLimit(this.#options.concurrency);
    this.#slots.set(service, slots);
    return slots;
  }

  #connect(origin: string): Promise<Dispatcher> {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = this.#openPool(origin).catch((error: unknown) => {
      this.#pools.delete(origin);
      throw error;
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  async #openPool(origin: string): Promise<Dispatcher> {
    const { target, tls, clientCertificate, concurrency } = this.#options;
    const timeout = this.#options.timeout * 1000;
    const own = clientCertificate === undefined ? undefined : await readOwn(clientCertificate, target);
    return this.#dependencies.dispatcher(origin, {
      connections: concurrency,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      keepAliveTimeout: 20_000,
      connect: await trustedConnector(tls, target, timeout, own),
    });
  }
}

async function readOwn(files: { readonly cert: string; readonly key: string }, target: string): Promise<{ cert: string; key: string }> {
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(file, "utf8");
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? "unknown reason";
      throw new PlumblineError("tls-client-certificate-unreadable", `our certificate or its key, ${file}, cannot be read (${reason})`, {
        where: { file, target },
        next: "Put the PEM file there, or correct cert and key of the cloud.",
      });
    }
  };
  return { cert: await read(files.cert), key: await read(files.key) };
}
