import pLimit from "p-limit";
import { writeJson } from "../../../core/json/write.js";
import { isPlaintext } from "../../../core/plaintext-http.js";
import { Connection } from "../../../http/connection.js";
import type { HttpDependencies } from "../../../http/dependencies.js";
import type { HttpReply, HttpStream } from "../../../http/message.js";
import { callWithRetries } from "../../../http/retry.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import { Authorization } from "./authorization.js";
import type { ContrailConnection } from "./connection.js";
import { refusalError } from "./refusal.js";
import { type ContrailReply, understandControllerReply } from "./reply.js";
import { type ContrailRequest, requestLine } from "./request.js";
import { CONTRAIL_RETRY } from "./retry.js";

/** Maximum number of parallel requests to one controller. */
const MAX_CONCURRENT = 10;
export const MAX_REPLY_BYTES = 100_000_000;
/** Milliseconds. The controller sends a keep-alive every minute. */
const STREAM_SILENCE = 180_000;

/**
 * Client of the controller's API (docs/contributing/devices/contrail.md) with a keep-alive pool and at most ten parallel requests. A refusal is returned
 * as a typed reply. Any other invalid reply throws a PlumblineError. A refused token is renewed once. Repeatable requests are sent again if
 * the controller is unavailable. Any other request whose reply is lost throws `reply-lost`, so that the caller can check first. Addresses
 * in replies are never followed, because behind a proxy they are wrong.
 */
export class ContrailClient {
  readonly place: ServerOrigin;
  readonly connection: ContrailConnection;
  readonly #dependencies: HttpDependencies;
  readonly #authorization: Authorization;
  readonly #slots = pLimit(MAX_CONCURRENT);
  readonly #prefix: string;
  readonly #connection: Connection;
  #hasWarned = false;

  constructor(connection: ContrailConnection, dependencies: HttpDependencies) {
    const url = new URL(connection.url);
    this.place = { target: connection.name, origin: url.origin };
    this.connection = connection;
    this.#dependencies = dependencies;
    this.#authorization = new Authorization(connection.auth);
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.#connection = new Connection(
      {
        place: this.place,
        kind: "contrail",
        peer: "the controller",
        tls: connection.tls,
        isAnonymous: connection.auth.kind === "none",
        timeout: connection.timeout,
        // One additional connection for the stream of events.
        connections: MAX_CONCURRENT + 1,
        maxReplyBytes: MAX_REPLY_BYTES,
      },
      dependencies,
    );
  }

  /** Credentials of the requests. */
  get sent(): readonly unknown[] {
    const { auth } = this.connection;
    return auth.kind === "basic" ? [auth.username, auth.password] : [];
  }

  async send(request: ContrailRequest): Promise<ContrailReply> {
    const headers = await this.#authorization.headers();
    const reply = await this.#call(request, headers);
    if (reply.kind !== "refused" || reply.refusal.reason !== "authentication") return reply;
    return (await this.#authorization.renew(headers)) ? await this.#call(request, await this.#authorization.headers()) : reply;
  }

  /** Like `send`, but throws if the controller refuses. */
  async require(request: ContrailRequest): Promise<Exclude<ContrailReply, { kind: "refused" }>> {
    const reply = await this.send(request);
    if (reply.kind === "refused") throw refusalError(reply.refusal, requestLine(request), this.place);
    return reply;
  }

  /** Opens a stream of events. Returns the response with an unread body. */
  async stream(path: string, signal: AbortSignal): Promise<HttpStream> {
    const open = async (): Promise<HttpStream> => {
      const headers = { ...(await this.#authorization.headers()), accept: "text/event-stream" };
      return await this.#connection.stream({ path: `${this.#prefix}${path}`, headers }, signal, STREAM_SILENCE);
    };
    this.#warnOfPlainText();
    const headers = await this.#authorization.headers();
    const response = await open();
    if (response.statusCode !== 401 || !(await this.#authorization.renew(headers))) return response;
    await response.body.dump();
    return await open();
  }

  async close(): Promise<void> {
    const { auth } = this.connection;
    if (auth.kind === "token") await auth.source.close?.();
    await this.#connection.close();
  }

  #call(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<ContrailReply> {
    const words = requestLine(request);
    const call = {
      target: this.place.target,
      kind: "contrail",
      words,
      peer: "the controller",
      repeatable: request.repeatable,
      send: () => this.#exchange(request, headers),
      understand: (raw: HttpReply) => understandControllerReply(raw, this.place, this.sent),
      failureIn: (reply: ContrailReply) => (isUnavailable(reply) ? refusalError(reply.refusal, words, this.place) : undefined),
    };
    this.#warnOfPlainText();
    return callWithRetries(call, CONTRAIL_RETRY, this.#dependencies);
  }

  #exchange(request: ContrailRequest, headers: Readonly<Record<string, string>>): Promise<HttpReply> {
    return this.#slots(() =>
      this.#connection.exchange({
        method: request.method,
        path: `${this.#prefix}${request.path}`,
        headers: {
          accept: "application/json",
          // The API specification sends this header with every request, also without a body.
          "content-type": "application/json; charset=UTF-8",
          "x-contrail-useragent": "plumbline",
          ...(request.ifNoneMatch === undefined ? {} : { "if-none-match": request.ifNoneMatch }),
          ...headers,
        },
        body: request.body === undefined ? undefined : writeJson(request.body),
        isRead: request.method === "GET",
        call: request.method,
        logged: { call: requestLine(request) },
      }),
    );
  }

  #warnOfPlainText(): void {
    const { target, origin } = this.place;
    if (this.#hasWarned || this.connection.auth.kind === "none" || !isPlaintext(origin)) return;
    this.#hasWarned = true;
    const warning = `${origin} does not use encryption: tokens and passwords can be read on the network`;
    this.#dependencies.logger.warn({ target }, warning);
  }
}

function isUnavailable(reply: ContrailReply): reply is Extract<ContrailReply, { kind: "refused" }> {
  return reply.kind === "refused" && reply.refusal.reason === "unavailable";
}
