import { type buildConnector, type Dispatcher, FormData } from "undici";
import { PlumblineError } from "../core/errors.js";
import { backoff } from "../http/backoff.js";
import { readBody } from "../http/body.js";
import { trustedConnector } from "../http/tls.js";
import { isTransportFailure, neverSent, type Place, transportError } from "../http/transport-errors.js";
import type { Allotment } from "./allotment.js";
import type { VerdictDependencies } from "./dependencies.js";
import { brokenReply, MAX_REPLY_BYTES, readErrorMessage, readVerdicts } from "./reply.js";
import type { VerdictService } from "./service.js";
import { connectionError, serviceError } from "./service-errors.js";

/** Hashes that one request may hold (specification, Limits 1). */
export const MAX_HASHES = 500;

const MAX_TRIES = 3;
const PASSING: ReadonlySet<string> = new Set(["verdict-service-unavailable", "verdict-service-failed"]);

/**
 * Asks the verdict service for up to 500 hashes at once, by the multipart form of facts 2.10 (the specification does
 * not show the wire). Each request that may have left is counted before it goes; what may pass is tried again.
 */
export class VerdictClient {
  readonly place: Place;
  readonly #service: VerdictService;
  readonly #allotment: Allotment;
  readonly #dependencies: VerdictDependencies;
  readonly #path: string;
  #pool: Promise<Dispatcher> | undefined;

  constructor(service: VerdictService, allotment: Allotment, dependencies: VerdictDependencies) {
    const url = new URL(service.url);
    this.place = { target: "the verdict service", origin: url.origin };
    this.#path = `${url.pathname.replace(/\/+(publicapi\/*)?$/, "")}/publicapi/get/verdicts`;
    this.#service = service;
    this.#allotment = allotment;
    this.#dependencies = dependencies;
  }

  /** Verdicts by hash, lower case; hashes that the reply leaves out are absent from the map. */
  async query(hashes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(hashes);
      if (!(outcome instanceof PlumblineError)) return outcome;
      if (attempt === MAX_TRIES || !PASSING.has(outcome.code)) throw outcome;
      const delay = backoff(attempt + 1, this.#dependencies.random);
      this.#dependencies.logger.debug({ code: outcome.code, attempt, delay }, "asking for verdicts again");
      await this.#dependencies.sleep(delay);
      await this.#allotment.require(1);
    }
  }

  async close(): Promise<void> {
    await this.#pool?.then(
      (pool) => pool.destroy(),
      // It never opened, which the query has said.
      () => undefined,
    );
  }

  async #attempt(hashes: readonly string[]): Promise<ReadonlyMap<string, number> | PlumblineError> {
    const pool = await this.#connect();
    await this.#allotment.count();
    try {
      const { status, body } = await this.#exchange(pool, hashes);
      if (status === 200) return readVerdicts(body, this.place.origin);
      if (status === 419) return await this.#allotment.spent(this.place.origin);
      return serviceError({ origin: this.place.origin, status, words: this.#withoutKey(readErrorMessage(body)) });
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "reply-too-large") throw brokenReply(this.place.origin, "it does not end");
      if (error instanceof PlumblineError || !isTransportFailure(error)) throw error;
      const cause = transportError(error, this.place);
      if (neverSent(cause)) await this.#allotment.giveBack();
      return connectionError(cause);
    }
  }

  async #exchange(pool: Dispatcher, hashes: readonly string[]): Promise<{ readonly status: number; readonly body: Buffer }> {
    const { url, key, timeout } = this.#service;
    const form = new FormData();
    form.append("apikey", key.reveal());
    form.append("file", hashes.join("\n"));
    const response = await pool.request({
      origin: new URL(url).origin,
      method: "POST",
      path: this.#path,
      headers: { accept: "application/xml" },
      body: form,
      signal: AbortSignal.timeout(timeout * 1000),
    });
    const length = response.headers["content-length"];
    const body = await readBody(response.body, Array.isArray(length) ? length[0] : length, MAX_REPLY_BYTES, this.place);
    this.#dependencies.logger.debug({ hashes: hashes.length, status: response.statusCode, bytes: body.length }, "asked for verdicts");
    return { status: response.statusCode, body };
  }

  /** A service that repeats the key in its complaint must not bring it into our messages. */
  #withoutKey(words: string | undefined): string | undefined {
    return words?.replaceAll(this.#service.key.reveal(), this.#service.key.label);
  }

  #connect(): Promise<Dispatcher> {
    this.#pool ??= this.#openPool();
    return this.#pool;
  }

  async #openPool(): Promise<Dispatcher> {
    const timeout = this.#service.timeout * 1000;
    return this.#dependencies.dispatcher(this.place.origin, {
      connections: 1,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      connect: await this.#connector(timeout),
    });
  }

  async #connector(timeout: number): Promise<buildConnector.connector> {
    try {
      return await trustedConnector(this.#service.tls, this.place.target, timeout);
    } catch (error) {
      throw error instanceof PlumblineError ? connectionError(error) : error;
    }
  }
}
