import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import { PlumblineError } from "../../../core/errors.js";
import { asking, askingAgain } from "../../../core/observe.js";
import type { SecretValue } from "../../../core/secret.js";
import type { PanosTargetConfiguration } from "../../../desired/configuration.js";
import { backoff, MAX_TRIES } from "../../../http/backoff.js";
import { readBody } from "../../../http/body.js";
import { exchangeTime, withDeadline } from "../../../http/deadline.js";
import { trustedConnector } from "../../../http/tls.js";
import { isTransportFailure, neverSent, type Place, passes, transportError } from "../../../http/transport-errors.js";
import type { PanosDependencies, PanosOptions } from "../dependencies.js";
import { KeyRing, saysInvalidCredential } from "./credentials.js";
import { type RawReply, understand } from "./document.js";
import { encodeRequest } from "./encode.js";
import { deviceWords, type Reply } from "./reply.js";
import { type PanosRequest, requestWords } from "./request.js";

/** Calls that a device's management plane takes at once (facts 2.1). */
export const MAX_CONCURRENT = 5;

/** Above the largest configuration of a manager; a reply beyond it is a fault. */
export const MAX_REPLY_BYTES = 200_000_000;

const SESSION_TIMED_OUT = 22;

/**
 * Speaks the XML API to one device: a keep-alive pool, at most five requests at once, one write at a time, a key.
 * Replies come back typed whatever their code; what is no reply is a PlumblineError. Only requests marked repeatable
 * are sent again by themselves; a write whose reply is lost raises `reply-lost`, so that the caller can look first.
 */
export class PanosClient {
  readonly place: Place;
  readonly #configuration: PanosTargetConfiguration;
  readonly #dependencies: PanosDependencies;
  readonly #maxReplyBytes: number;
  readonly #keys: KeyRing;
  readonly #slots = pLimit(MAX_CONCURRENT);
  readonly #writers = pLimit(1);
  readonly #path: string;
  #pool: Promise<Dispatcher> | undefined;

  constructor(address: string, configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions) {
    const url = new URL(address);
    this.place = { target: configuration.name, origin: url.origin };
    this.#path = `${url.pathname.replace(/\/+(api\/*)?$/, "")}/api/`;
    this.#configuration = configuration;
    this.#dependencies = dependencies;
    this.#maxReplyBytes = options.maxReplyBytes ?? MAX_REPLY_BYTES;
    this.#keys = new KeyRing(configuration.credentials, this.place, dependencies.keys, (request) => this.#persist(request, undefined));
  }

  /** Sends a request with our key, renewing the key where it is refused. `onBody` sees the raw bytes of the reply. */
  async send(request: PanosRequest, onBody?: (body: Buffer) => void): Promise<Reply> {
    return request.repeatable ? this.#sendKeyed(request, onBody) : this.#writers(() => this.#sendKeyed(request, onBody));
  }

  /** Sends a read once and gives the bytes of the reply, not understood; undefined where they are no whole reply of success. */
  async sendForBytes(request: PanosRequest): Promise<Buffer | undefined> {
    const key = await this.#keys.current();
    const { httpStatus, body } = await this.#slots(() => this.#exchange(request, key));
    const isSuccess = httpStatus === 200 && /^\s*(<\?xml[^>]*>\s*)?<response\b[^>]*status\s*=\s*["']success/.test(head(body));
    return isSuccess && body.subarray(-64).toString("latin1").trimEnd().endsWith("</response>") ? body : undefined;
  }

  async close(): Promise<void> {
    await this.#pool?.then((pool) => pool.destroy());
  }

  async #sendKeyed(request: PanosRequest, onBody?: (body: Buffer) => void): Promise<Reply> {
    const key = await this.#keys.current();
    const reply = await this.#persist(request, key, onBody);
    if (!saysInvalidCredential(reply)) return reply;
    const renewed = await this.#keys.renew(key);
    const second = renewed === undefined ? reply : await this.#persist(request, renewed, onBody);
    if (!saysInvalidCredential(second)) return second;
    throw new PlumblineError("credential-refused", `${this.place.origin} refuses our API key: ${deviceWords(second)}`, {
      where: { target: this.place.target },
      next: "Make a new key, or give the target a user name and password: keys end with a new password, a new master key or their lifetime.",
    });
  }

  /** Repeats what may be repeated; turns a lost reply to anything else into `reply-lost`. */
  async #persist(request: PanosRequest, key: SecretValue | undefined, onBody?: (body: Buffer) => void): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, key, onBody);
      if (!(outcome instanceof PlumblineError)) return outcome;
      if (!request.repeatable) throw neverSent(outcome) || isRefusal(outcome) ? outcome : this.#replyLost(request, outcome);
      if (attempt === MAX_TRIES || !passes(outcome)) throw outcome;
      const delay = backoff(attempt + 1, this.#dependencies.random);
      this.#dependencies.logger.debug({ target: this.place.target, code: outcome.code, attempt, delay }, "asking again");
      askingAgain(this.place.target, "panos");
      await this.#dependencies.clock.sleep(delay);
    }
  }

  async #attempt(request: PanosRequest, key: SecretValue | undefined, onBody?: (body: Buffer) => void): Promise<Reply | PlumblineError> {
    try {
      const raw = await this.#slots(() => this.#exchange(request, key));
      const reply = understand(raw, this.place, this.#maxReplyBytes);
      onBody?.(raw.body);
      return reply.code === SESSION_TIMED_OUT ? sessionTimedOut(reply, this.place) : reply;
    } catch (error) {
      if (!isTransportFailure(error)) throw error;
      return transportError(error, this.place);
    }
  }

  #exchange(request: PanosRequest, key: SecretValue | undefined): Promise<RawReply> {
    const asked = { target: this.place.target, kind: "panos", call: requestWords(request) };
    return asking(
      asked,
      ({ httpStatus }) => httpStatus,
      () => this.#transmit(request, key),
    );
  }

  async #transmit(request: PanosRequest, key: SecretValue | undefined): Promise<RawReply> {
    const milliseconds = exchangeTime(this.#configuration.timeout, request.repeatable);
    return await withDeadline(milliseconds, (signal) => this.#roundTrip(request, key, signal));
  }

  async #roundTrip(request: PanosRequest, key: SecretValue | undefined, signal: AbortSignal): Promise<RawReply> {
    const { clock, logger } = this.#dependencies;
    const pool = await this.#connect();
    const encoded = encodeRequest(request, key?.reveal(), this.#path, this.#configuration);
    const started = clock.now();
    const response = await pool.request({
      origin: this.place.origin,
      method: encoded.method,
      path: encoded.path,
      headers: encoded.headers,
      body: encoded.body ?? null,
      signal,
    });
    const body = await readBody(response.body, headerOf(response.headers, "content-length"), this.#maxReplyBytes, this.place);
    const took = Math.round(clock.now() - started);
    logger.debug(
      { target: this.place.target, call: requestWords(request), status: response.statusCode, bytes: body.length, took },
      "asked the device",
    );
    return { httpStatus: response.statusCode, contentType: headerOf(response.headers, "content-type") ?? "", body };
  }

  #connect(): Promise<Dispatcher> {
    this.#pool ??= this.#openPool().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #openPool(): Promise<Dispatcher> {
    const timeout = this.#configuration.timeout * 1000;
    return this.#dependencies.dispatcher(this.place.origin, {
      connections: MAX_CONCURRENT,
      pipelining: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      keepAliveTimeout: 20_000,
      connect: await trustedConnector(this.#configuration.tls, this.place.target, timeout),
    });
  }

  #replyLost(request: PanosRequest, cause: PlumblineError): PlumblineError {
    return new PlumblineError("reply-lost", `the reply to a write (${requestWords(request)}) was lost: ${cause.message}`, {
      where: { target: this.place.target },
      next: "Run again: the device is looked at before anything is repeated.",
      cause,
    });
  }
}

const REFUSED: ReadonlySet<string> = new Set(["request-too-long", "unexpected-http-status"]);

/** The server turned the request away before the device could act on it. */
function isRefusal(error: PlumblineError): boolean {
  return REFUSED.has(error.code);
}

function sessionTimedOut(reply: Reply, place: Place): PlumblineError {
  return new PlumblineError("session-timed-out", `${place.origin} gave up on the request: ${deviceWords(reply)}`, {
    where: { target: place.target },
    next: "Wait until the management plane is less busy, then run again.",
  });
}

function head(body: Buffer): string {
  return body.subarray(0, 300).toString("latin1");
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
