import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import { PlumblineError } from "../../../core/errors.js";
import { writeJson } from "../../../core/json/write.js";
import { asking, askingAgain } from "../../../core/observe.js";
import { backoff, MAX_TRIES } from "../../../http/backoff.js";
import { readBody } from "../../../http/body.js";
import { exchangeTime, withDeadline } from "../../../http/deadline.js";
import { trustedConnector } from "../../../http/tls.js";
import { isTransportFailure, neverSent, type Place, passes, transportError } from "../../../http/transport-errors.js";
import { Authorization } from "./authorization.js";
import type { ContrailConnection, ContrailDependencies } from "./connection.js";
import { refusalError } from "./refusal.js";
import { type ContrailReply, type RawReply, understand } from "./reply.js";
import { type ContrailRequest, requestWords } from "./request.js";

/** Requests to one controller that run at once. */
export const MAX_CONCURRENT = 10;
export const MAX_REPLY_BYTES = 200_000_000;

/**
 * Speaks the controller's interface (facts/contrail.md 2): a keep-alive pool, at most ten requests at once. Refusals
 * come back typed; what is no reply is a PlumblineError. A token that is refused is renewed once. Repeatable requests
 * are sent again where the controller is not available; anything else whose reply is lost raises `reply-lost`, so that
 * the caller can look first. Addresses in replies are never followed: behind a proxy they are wrong.
 */
export class ContrailClient {
  readonly place: Place;
  readonly connection: ContrailConnection;
  readonly #dependencies: ContrailDependencies;
  readonly #authorization: Authorization;
  readonly #slots = pLimit(MAX_CONCURRENT);
  readonly #prefix: string;
  #pool: Promise<Dispatcher> | undefined;

  constructor(connection: ContrailConnection, dependencies: ContrailDependencies) {
    const url = new URL(connection.url);
    this.place = { target: connection.name, origin: url.origin };
    this.connection = connection;
    this.#dependencies = dependencies;
    this.#authorization = new Authorization(connection.auth);
    this.#prefix = url.pathname.replace(/\/+$/, "");
  }

  async send(request: ContrailRequest): Promise<ContrailReply> {
    const headers = await this.#authorization.headers();
    const reply = await this.#persist(request, headers);
    if (reply.kind !== "refused" || reply.refusal.reason !== "authentication") return reply;
    return (await this.#authorization.renew(headers)) ? await this.#persist(request, await this.#authorization.headers()) : reply;
  }

  /** As `send`; a refusal is thrown. */
  async require(request: ContrailRequest): Promise<Exclude<ContrailReply, { kind: "refused" }>> {
    const reply = await this.send(request);
    if (reply.kind === "refused") throw refusalError(reply.refusal, requestWords(request), this.place);
    return reply;
  }

  /** Opens a stream of events: the response as it comes, with nothing read yet. */
  async stream(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const open = async (): Promise<Dispatcher.ResponseData> => {
      const pool = await this.#connect();
      const headers = { ...(await this.#authorization.headers()), accept: "text/event-stream" };
      const { origin } = this.place;
      // The controller sends a sign of life a minute.
      return await pool.request({ origin, method: "GET", path: `${this.#prefix}${path}`, headers, signal, bodyTimeout: 180_000 });
    };
    try {
      const headers = await this.#authorization.headers();
      const response = await open();
      if (response.statusCode !== 401 || !(await this.#authorization.renew(headers))) return response;
      await response.body.dump();
      return await open();
    } catch (error) {
      throw isTransportFailure(error) ? transportError(error, this.place) : error;
    }
  }

  async close(): Promise<void> {
    const { auth } = this.connection;
    if (auth.kind === "token") await auth.source.close?.();
    await this.#pool?.then(
      (pool) => pool.destroy(),
      // It never opened, which the request has said.
      () => undefined,
    );
  }

  /** Repeats what may be repeated; turns a lost reply to anything else into `reply-lost`. */
  async #persist(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<ContrailReply> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, headers);
      const reply = outcome instanceof PlumblineError ? undefined : outcome;
      if (reply !== undefined && !isUnavailable(reply)) return reply;
      if (!request.repeatable) {
        if (reply !== undefined) return reply;
        throw this.#lostOrKnown(request, outcome as PlumblineError);
      }
      if (attempt === MAX_TRIES || (outcome instanceof PlumblineError && !mayPass(outcome))) {
        if (reply !== undefined) return reply;
        throw outcome;
      }
      const delay = backoff(attempt + 1, this.#dependencies.random);
      this.#dependencies.logger.debug({ target: this.place.target, call: requestWords(request), attempt, delay }, "asking again");
      askingAgain(this.place.target, "contrail");
      await this.#dependencies.clock.sleep(delay);
    }
  }

  async #attempt(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<ContrailReply | PlumblineError> {
    try {
      return understand(await this.#slots(() => this.#exchange(request, headers)), this.place);
    } catch (error) {
      if (!isTransportFailure(error)) throw error;
      return transportError(error, this.place);
    }
  }

  #exchange(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<RawReply> {
    const asked = { target: this.place.target, kind: "contrail", call: request.method };
    return asking(
      asked,
      ({ status }) => status,
      () => this.#transmit(request, headers),
    );
  }

  async #transmit(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<RawReply> {
    const milliseconds = exchangeTime(this.connection.timeout, request.method === "GET");
    return await withDeadline(milliseconds, (signal) => this.#roundTrip(request, headers, signal));
  }

  async #roundTrip(request: ContrailRequest, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<RawReply> {
    const { clock, logger } = this.#dependencies;
    const pool = await this.#connect();
    const started = clock.now();
    const response = await pool.request({
      origin: this.place.origin,
      method: request.method,
      path: `${this.#prefix}${request.path}`,
      headers: {
        accept: "application/json",
        // The specification sends it with every request, also without a body.
        "content-type": "application/json; charset=UTF-8",
        "x-contrail-useragent": "plumbline",
        ...(request.ifNoneMatch === undefined ? {} : { "if-none-match": request.ifNoneMatch }),
        ...headers,
      },
      body: request.body === undefined ? null : writeJson(request.body),
      signal,
    });
    const body = await readBody(response.body, headerOf(response.headers, "content-length"), MAX_REPLY_BYTES, this.place);
    const took = Math.round(clock.now() - started);
    logger.debug(
      { target: this.place.target, call: requestWords(request), status: response.statusCode, bytes: body.length, took },
      "asked the controller",
    );
    return {
      status: response.statusCode,
      contentType: headerOf(response.headers, "content-type") ?? "",
      etag: headerOf(response.headers, "etag"),
      body: body.toString("utf8"),
    };
  }

  #connect(): Promise<Dispatcher> {
    this.#pool ??= this.#openPool().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #openPool(): Promise<Dispatcher> {
    const { tls, timeout, auth } = this.connection;
    const milliseconds = timeout * 1000;
    if (auth.kind !== "none" && this.place.origin.startsWith("http:") && !isLoopback(this.place.origin)) {
      const said = `${this.place.origin} is spoken to without encryption: tokens and passwords can be read on the way`;
      this.#dependencies.logger.warn({ target: this.place.target }, said);
    }
    return this.#dependencies.dispatcher(this.place.origin, {
      connections: MAX_CONCURRENT + 1,
      pipelining: 1,
      headersTimeout: milliseconds,
      bodyTimeout: milliseconds,
      keepAliveTimeout: 20_000,
      connect: await trustedConnector(tls, this.place.target, milliseconds),
    });
  }

  #lostOrKnown(request: ContrailRequest, cause: PlumblineError): PlumblineError {
    if (neverSent(cause) || KNOWN.has(cause.code)) return cause;
    return new PlumblineError("reply-lost", `the reply to a write (${requestWords(request)}) was lost: ${cause.message}`, {
      where: { target: this.place.target },
      next: "Run again: the controller is looked at before anything is repeated.",
      cause,
    });
  }
}

/** The server answered, and said that it did not act. */
const KNOWN: ReadonlySet<string> = new Set(["unexpected-http-status"]);

function isUnavailable(reply: ContrailReply): boolean {
  return reply.kind === "refused" && reply.refusal.reason === "unavailable";
}

/** A cut reply can be whole a second later. */
function mayPass(error: PlumblineError): boolean {
  return passes(error) || error.code === "controller-reply-broken";
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What stays on this machine can be read by nobody on the way. */
function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
