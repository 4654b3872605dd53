import { PlumblineError } from "../core/errors.js";
import { isLeaseLost } from "../core/write-lease.js";
import { Connection } from "../http/connection.js";
import type { HttpDependencies } from "../http/dependencies.js";
import { type HttpReply, multipartForm } from "../http/message.js";
import { callWithRetries } from "../http/retry.js";
import { NEVER_SENT, type ServerOrigin } from "../http/transport-errors.js";
import type { Allotment } from "./allotment.js";
import { brokenReply, MAX_REPLY_BYTES, readErrorMessage, readVerdicts } from "./reply.js";
import { VERDICT_RETRY } from "./retry.js";
import type { VerdictService } from "./service.js";
import { connectionError, serviceError } from "./service-errors.js";

/** Hashes that one request may hold (specification, Limits 1). */
export const MAX_HASHES = 500;

/** Milliseconds: a query that goes out on a connection which was closed meanwhile is counted, and lost. */
const KEEP_ALIVE = 4_000;

/**
 * Asks the verdict service for up to 500 hashes at once, by the multipart form of docs/devices/verdict-service.md (the specification does
 * not show the wire). Each request that may have left is counted before it goes; what may pass is tried again.
 */
export class VerdictClient {
  readonly place: ServerOrigin;
  readonly #service: VerdictService;
  readonly #allotment: Allotment;
  readonly #dependencies: HttpDependencies;
  readonly #path: string;
  readonly #connection: Connection;

  constructor(service: VerdictService, allotment: Allotment, dependencies: HttpDependencies) {
    const url = new URL(service.url);
    this.place = { target: "the verdict service", origin: url.origin };
    this.#path = `${url.pathname.replace(/\/+(publicapi\/*)?$/, "")}/publicapi/get/verdicts`;
    this.#service = service;
    this.#allotment = allotment;
    this.#dependencies = dependencies;
    const { tls, timeout } = service;
    const options = { place: this.place, peer: "the verdict service", tls, timeout, connections: 1, maxReplyBytes: MAX_REPLY_BYTES };
    this.#connection = new Connection({ ...options, wholeReplyTimeouts: 1, keepAlive: KEEP_ALIVE }, dependencies);
  }

  /** Verdicts by hash, lower case; hashes that the reply leaves out are absent from the map. */
  query(hashes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return callWithRetries(
      {
        target: this.place.target,
        words: "POST verdicts",
        peer: "the verdict service",
        repeatable: true,
        send: (attempt) => this.#send(hashes, attempt),
        understand: (reply) => this.#understand(reply),
      },
      VERDICT_RETRY,
      this.#dependencies,
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Counts what may leave, and takes back what did not. */
  async #send(hashes: readonly string[], attempt: number): Promise<HttpReply> {
    if (attempt > 1) await this.#allotment.require(1);
    await this.#connection.open().catch(explain);
    await this.#allotment.count();
    try {
      return await this.#connection.exchange({
        method: "POST",
        path: this.#path,
        headers: { accept: "application/xml" },
        body: multipartForm({ apikey: this.#service.key.reveal(), file: hashes.join("\n") }),
        isRead: true,
        call: "query",
        logged: { hashes: hashes.length },
      });
    } catch (error) {
      if (error instanceof PlumblineError && NEVER_SENT.includes(error.code)) await this.#allotment.giveBack();
      if (error instanceof PlumblineError && error.code === "reply-too-large") throw brokenReply(this.place.origin, "it does not end");
      return explain(error);
    }
  }

  async #understand({ status, body }: HttpReply): Promise<ReadonlyMap<string, number>> {
    const { origin } = this.place;
    if (status === 200) return readVerdicts(body, origin);
    if (status === 419) throw await this.#allotment.spent(origin);
    throw serviceError({ origin, status, words: this.#withoutKey(readErrorMessage(body)) });
  }

  /** A service that repeats the key in its complaint must not bring it into our messages. */
  #withoutKey(words: string | undefined): string | undefined {
    return words?.replaceAll(this.#service.key.reveal(), this.#service.key.label);
  }
}

/** @throws what it is given, a failed connection in words for this service */
function explain(error: unknown): never {
  throw error instanceof PlumblineError && !isLeaseLost(error) ? connectionError(error) : error;
}
