import { isIP } from "node:net";
import type { Dispatcher } from "undici";
import type { PlumblineError } from "../core/errors.js";
import { expectEncrypted } from "../core/in-the-clear.js";
import { Lazy } from "../core/lazy.js";
import { asking } from "../core/observe.js";
import type { TlsTrust } from "../core/tls-trust.js";
import { expectLease } from "../core/write-lease.js";
import { type BytesInFlight, readBody } from "./body.js";
import { exchangeTime, withDeadline } from "./deadline.js";
import type { HttpDependencies } from "./dependencies.js";
import type { KeptPools } from "./kept-pools.js";
import { type HttpReply, type HttpRequest, type HttpStream, headerOf } from "./message.js";
import { type OwnCertificate, readTrust, trustedConnector } from "./tls.js";
import { isTransportFailure, type ServerOrigin, transportError } from "./transport-errors.js";

/** How one server is connected to. */
export interface ConnectionOptions {
  readonly place: ServerOrigin;
  /** Of the target, for whoever observes its requests; left out for a service that is no target. */
  readonly kind?: string | undefined;
  /** What log lines call it: `the device`. */
  readonly peer: string;
  readonly tls: TlsTrust;
  readonly ownCertificate?: OwnCertificate | undefined;
  /** Nothing that is secret goes to it. */
  readonly isAnonymous?: boolean;
  /** Seconds that it may be silent. */
  readonly timeout: number;
  /** Timeouts that a whole reply may take where no lease is held for a write; 20 when left out. */
  readonly wholeReplyTimeouts?: number;
  /** Connections open at once. */
  readonly connections: number;
  /** Milliseconds that an unused connection stays open; 20,000 when left out. */
  readonly keepAlive?: number;
  /** Others who ask the same server in the same way go on with these connections when this one is closed; only for what changes nothing. */
  readonly isKept?: boolean;
  /** Maximum size of a reply, and of all replies that are read at the same time. */
  readonly maxReplyBytes: number;
  /** The header by which the server names a request in its own log, in lower case. */
  readonly requestIdHeader?: string;
  /** Puts a failure of the transport into words for this server. */
  readonly explain?: (error: PlumblineError) => PlumblineError;
}

/** Milliseconds that a connection stays open which another pass may go on with. */
const KEPT_FOR = 10 * 60_000;

/** Milliseconds after which a name is looked up again, which may be that of another device by then, while the one before still answers. */
const NAMED_FOR = 10 * 60_000;

const WORD = "tls: { plaintext: true } of a target, --plaintext of a command";

/**
 * The connections to one server, made when first needed, trusted before anything is sent, and kept. It is the one way by
 * which requests leave for a target: each is held against the lease of the write that it is part of right before it goes.
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

  /** Reads what trust needs; connects to nothing. @throws PlumblineError `address-in-the-clear`, `tls-ca-unreadable`, `tls-client-certificate-unreadable` */
  async open(): Promise<void> {
    await this.#explained(() => this.#pool.get());
  }

  /**
   * Sends a request once and takes in the whole reply, whatever its status.
   * @throws PlumblineError for what the transport failed at; `reply-too-large`; `lease-lost` with nothing sent
   */
  async exchange(request: HttpRequest): Promise<HttpReply> {
    const { kind } = this.#options;
    const transmit = (): Promise<HttpReply> => this.#transmit(request);
    return await this.#explained(() =>
      kind === undefined ? transmit() : asking({ target: this.place.target, kind, call: request.call }, ({ status }) => status, transmit),
    );
  }

  /**
   * Opens a reply without an end: it lasts until `signal` is aborted, with at most `silence` milliseconds between two bytes.
   * @throws PlumblineError as `exchange`, but for observers, of which none is told
   */
  async stream(request: Pick<HttpRequest, "path" | "headers">, signal: AbortSignal, silence: number): Promise<HttpStream> {
    return await this.#explained(() => this.#send({ ...request, method: "GET" }, { signal, bodyTimeout: silence }));
  }

  async close(): Promise<void> {
    if (this.#kept !== undefined) return;
    await this.#pool.made?.then(
      (pool) => pool.destroy(),
      // It never opened, which the request has said.
      () => undefined,
    );
  }

  async #transmit(request: HttpRequest): Promise<HttpReply> {
    const { timeout, wholeReplyTimeouts } = this.#options;
    return await withDeadline(exchangeTime(timeout, request.isRead, wholeReplyTimeouts), async (signal) => {
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
      const said = transportError(error, this.place);
      throw this.#options.explain?.(said) ?? said;
    }
  }

  async #openPool(): Promise<Dispatcher> {
    const { place, tls, ownCertificate, connections, keepAlive, isAnonymous } = this.#options;
    if (isAnonymous !== true) expectEncrypted(place.origin, { isSaid: tls.plaintext, word: WORD, where: place });
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
