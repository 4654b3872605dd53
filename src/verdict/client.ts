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

/** Maximum number of hashes per request (specification, Limits 1). */
export const MAX_HASHES = 500;

/** Milliseconds. Short, because a query on a connection that the server has just closed is counted and lost. */
const KEEP_ALIVE = 4_000;

/**
 * Requests verdicts for up to 500 hashes per query, in the multipart form of docs/contributing/devices/verdict-service.md (the specification does not
 * describe the format). Each query is counted before sending. Temporary failures are retried.
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
    this.#connection = new Connection({ ...options, completeReplyTimeouts: 1, keepAlive: KEEP_ALIVE }, dependencies);
  }

  /** Returns verdicts by hash (lower case). The map lacks hashes that the reply omits. */
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

  /** Counts and sends a query. Reverts the count if the query was not sent. */
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

  /** Removes the key from a message of the service, so that our errors never contain it. */
  #withoutKey(words: string | undefined): string | undefined {
    return words?.replaceAll(this.#service.key.reveal(), this.#service.key.label);
  }
}

/** @throws the given error; a failed connection as an error of the verdict service */
function explain(error: unknown): never {
  throw error instanceof PlumblineError && !isLeaseLost(error) ? connectionError(error) : error;
}
