import { isIP } from "node:net";
import type { Dispatcher } from "undici";
import type { PlumblineError } from "../core/errors.js";
import { Lazy } from "../core/lazy.js";
import { observed } from "../core/observe.js";
import { expectEncrypted } from "../core/plaintext-http.js";
import type { TlsTrust } from "../core/tls-trust.js";
import { expectLease, verifyLease } from "../core/write-lease.js";
import { type BytesInFlight, readBody } from "./body.js";
import { exchangeTime, withDeadline } from "./deadline.js";
import type { HttpDependencies } from "./dependencies.js";
import type { KeptPools } from "./kept-pools.js";
import { type HttpReply, type HttpRequest, type HttpStream, headerOf } from "./message.js";
import { type OwnCertificate, readTrust, trustedConnector } from "./tls.js";
import { isTransportFailure, type ServerOrigin, transportError } from "./transport-errors.js";

/** Connection settings of one server. */
export interface ConnectionOptions {
  readonly place: ServerOrigin;
  /** Kind of the target, for observers. Undefined for other services. */
  readonly kind?: string | undefined;
  /** Name in log lines, such as `the device`. */
  readonly peer: string;
  readonly tls: TlsTrust;
  readonly ownCertificate?: OwnCertificate | undefined;
  /** The server receives no secrets. */
  readonly isAnonymous?: boolean;
  /** Maximum seconds of silence. */
  readonly timeout: number;
  /** Maximum duration of a complete reply as a number of timeouts, except for writes under a lease. The default is 20. */
  readonly completeReplyTimeouts?: number;
  /** Maximum number of open connections. */
  readonly connections: number;
  /** Milliseconds after which an unused connection is closed. The default is 20,000. */
  readonly keepAlive?: number;
  /** Other users with the same settings can continue to use these connections after `close`. Only for read-only use. */
  readonly isKept?: boolean;
  /** Maximum size of a reply, and of all replies that are read at the same time. */
  readonly maxReplyBytes: number;
  /** Response header with the request id in the server's log, in lower case. */
  readonly requestIdHeader?: string;
  /** Rewrites a transport error for this server. */
  readonly explain?: (error: PlumblineError) => PlumblineError;
}

/** Milliseconds after which an unused shared connection is closed. */
const KEPT_FOR = 10 * 60_000;

/** Milliseconds after which a name is resolved again. It may then belong to another device although the old one still answers. */
const NAMED_FOR = 10 * 60_000;

const WORD = "tls: { plaintext: true } of a target, --plaintext of a command";

/**
 * Connections to one server. They are opened when first needed, verified before anything is sent, and kept. All requests to a target use
 * this class. A request of a write verifies its lease, and checks it again immediately before it leaves.
 */
export class Connection {
  readonly place: ServerOrigin;
  readonly #options: ConnectionOptions;
  readonly #dependencies: HttpDependencies;
  readonly #pool = new Lazy(() => this.#openPool());
  readonly #inFlight: BytesInFlight = { bytes: 0 };

  constructor(options: ConnectionOptions, dependencies: HttpDependencies) {
    this.place = options.place;
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /**
   * Reads the certificates without connecting. @throws PlumblineError `address-in-the-clear`, `tls-ca-unreadable`,
   * `tls-client-certificate-unreadable`
   */
  async open(): Promise<void> {
    await this.#explained(() => this.#pool.get());
  }

  /**
   * Sends a request once and reads the complete reply, whatever its status.
   * @throws PlumblineError for transport errors; `reply-too-large`; `lease-lost`, with nothing sent
   */
  async exchange(request: HttpRequest): Promise<HttpReply> {
    const { kind } = this.#options;
    const transmit = (): Promise<HttpReply> => this.#transmit(request);
    return await this.#explained(() =>
      kind === undefined ? transmit() : observed({ target: this.place.target, kind, call: request.call }, ({ status }) => status, transmit),
    );
  }

  /**
   * Opens an endless reply until `signal` is aborted, with at most `silence` milliseconds between two bytes. Observers are not notified.
   * @throws PlumblineError as `exchange`
   */
  async stream(request: Pick<HttpRequest, "path" | "headers">, signal: AbortSignal, silence: number): Promise<HttpStream> {
    return await this.#explained(() => this.#send({ ...request, method: "GET" }, { signal, bodyTimeout: silence }));
  }

  async close(): Promise<void> {
    if (this.#kept !== undefined) return;
    await this.#pool.made?.then(
      (pool) => pool.destroy(),
      // The pool never opened. The request has reported the error.
      () => undefined,
    );
  }

  async #transmit(request: HttpRequest): Promise<HttpReply> {
    const { timeout, completeReplyTimeouts } = this.#options;
    if (!request.isRead) await verifyLease();
    return await withDeadline(exchangeTime(timeout, request.isRead, completeReplyTimeouts), async (signal) => {
      const { clock, logger } = this.#dependencies;
      const { place, peer, maxReplyBytes, requestIdHeader } = this.#options;
      await this.#pool.get();
      const started = clock.now();
      const response = await this.#send(request, { signal });
      const { statusCode: status, headers } = response;
      const body = await readBody(response.body, headerOf(response, "content-length"), maxReplyBytes, place, this.#inFlight);
      const took = Math.round(clock.now() - started);
      const requestId = requestIdHeader === undefined ? undefined : headerOf(response, requestIdHeader);
      logger.debug({ target: place.target, ...request.logged, status, bytes: body.length, took, requestId }, `asked ${peer}`);
      return { status, headers, body };
    });
  }

  async #send(
    { method, path, headers, body }: Pick<HttpRequest, "method" | "path" | "headers" | "body">,
    bounds: { readonly signal: AbortSignal; readonly bodyTimeout?: number },
  ): Promise<HttpStream> {
    const pool = await this.#pool.get();
    expectLease();
    return await pool.request({ origin: this.place.origin, method, path, headers, body: body ?? null, ...bounds });
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isTransportFailure(error)) throw error;
      const failure = transportError(error, this.place);
      throw this.#options.explain?.(failure) ?? failure;
    }
  }

  async #openPool(): Promise<Dispatcher> {
    const { place, tls, ownCertificate, connections, keepAlive, isAnonymous } = this.#options;
    if (isAnonymous !== true) expectEncrypted(place.origin, { isAllowed: tls.plaintext, word: WORD, where: place });
    const timeout = this.#options.timeout * 1000;
    const trust = await readTrust(tls, place.target, ownCertificate);
    const bounds = {
      connections,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      keepAliveTimeout: keepAlive ?? (this.#kept === undefined ? 20_000 : KEPT_FOR),
    };
    const make = () => this.#dependencies.dispatcher(place.origin, { ...bounds, connect: trustedConnector(trust, timeout) });
    const longest = isName(place.origin) ? NAMED_FOR : Number.POSITIVE_INFINITY;
    return this.#kept?.get([place.origin, bounds, trust], make, this.#dependencies.clock.now(), longest) ?? make();
  }

  get #kept(): KeptPools | undefined {
    return this.#options.isKept === true ? this.#dependencies.kept : undefined;
  }
}

function isName(origin: string): boolean {
  return isIP(new URL(origin).hostname.replace(/^\[|\]$/g, "")) === 0;
}
