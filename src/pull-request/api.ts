import { request } from "undici";
import { PlumblineError } from "../core/errors.js";
import { readJson } from "../core/json/read-json.js";
import type { SecretValue } from "../core/secret.js";
import { readBody } from "../http/body.js";
import { type HttpReply, headerOf } from "../http/message.js";
import { callWithRetries } from "../http/retry.js";
import { passing, refusedReply, unavailable, unreadableReply } from "./api-errors.js";
import { CODE_HOST_RETRY, mayPass, requestedWait } from "./rate-limit.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Clock and randomness, which tests replace. */
export interface ApiDependencies {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** 0 inclusive to 1 exclusive, for jitter. */
  random(): number;
}

export interface ApiSettings {
  readonly name: string;
  readonly api: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: SecretValue;
}

const MAX_REPLY_BYTES = 20_000_000;
const TIMEOUT_MS = 30_000;
const MAX_PAGES = 1_000;

/**
 * Sends JSON requests to one code host. Waits for rate limits, retries temporary failures except of `POST`, and never sends the token to
 * another host.
 */
export class ApiClient {
  readonly #settings: ApiSettings;
  readonly #dependencies: ApiDependencies;

  constructor(settings: ApiSettings, dependencies: ApiDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /** Sends a request to a path below the base of the API and returns the parsed reply. Throws `code-host-…`. */
  async send(method: Method, path: string, body?: unknown): Promise<unknown> {
    return this.#json(await this.#exchange(method, `${this.#settings.api}${path}`, body));
  }

  /** Returns the parsed reply, or undefined if the host answers with one of `statuses`. */
  async get(path: string, statuses: readonly number[]): Promise<unknown> {
    const reply = await this.#exchange("GET", `${this.#settings.api}${path}`, undefined, statuses);
    return statuses.includes(reply.status) ? undefined : this.#json(reply);
  }

  /** Returns the items of all pages of a list. Follows `Link: rel="next"` or `X-Next-Page`. */
  async list(path: string): Promise<unknown[]> {
    const items: unknown[] = [];
    let url: string | undefined = `${this.#settings.api}${path}`;
    for (let page = 1; url !== undefined; page++) {
      if (page > MAX_PAGES) throw unreadableReply(this.#settings.name, `${path} has more than ${MAX_PAGES} pages`);
      const reply = await this.#exchange("GET", url, undefined);
      const found = this.#json(reply);
      if (!Array.isArray(found)) throw unreadableReply(this.#settings.name, `${path} is no list`);
      items.push(...found);
      url = this.#nextPage(reply, url);
    }
    return items;
  }

  #nextPage(reply: HttpReply, from: string): string | undefined {
    const link = headerOf(reply, "link")?.match(/<([^>]*)>\s*;[^,]*\brel="?next"?/)?.[1];
    const number = headerOf(reply, "x-next-page");
    const next = new URL(link ?? from, from);
    if (link === undefined) {
      if (number === undefined || number === "") return undefined;
      next.searchParams.set("page", number);
    }
    // Never send the token to another host, even if a reply links to it.
    if (next.origin === new URL(from).origin) return next.href;
    throw unreadableReply(this.#settings.name, "its next page is on another host");
  }

  async #exchange(method: Method, url: string, body: unknown, expected: readonly number[] = []): Promise<HttpReply> {
    const { name } = this.#settings;
    const call = {
      target: name,
      words: `${method} ${new URL(url).pathname}`,
      peer: name,
      repeatable: method !== "POST",
      send: () => this.#once(method, url, body),
      understand: (reply: HttpReply) => {
        if (mayPass(reply)) throw this.#refused(method, url, reply);
        return reply;
      },
      requestedWait: (reply: HttpReply) => requestedWait(reply, this.#dependencies.now()),
    };
    const { random } = this.#dependencies;
    const reply = await callWithRetries(call, CODE_HOST_RETRY, { clock: this.#dependencies, random });
    if (reply.status < 300 || expected.includes(reply.status)) return reply;
    throw this.#refused(method, url, reply);
  }

  async #once(method: Method, url: string, body: unknown): Promise<HttpReply> {
    const { headers, name } = this.#settings;
    try {
      const response = await request(url, {
        method,
        headers: {
          accept: "application/json",
          "user-agent": "plumbline",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        signal: AbortSignal.timeout(2 * TIMEOUT_MS),
      });
      const place = { target: name, origin: new URL(url).origin };
      const content = await readBody(response.body, headerOf(response, "content-length"), MAX_REPLY_BYTES, place);
      return { status: response.statusCode, headers: response.headers, body: content };
    } catch (error) {
      throw error instanceof PlumblineError ? error : unavailable(name, new URL(url).origin, error);
    }
  }

  #refused(method: Method, url: string, reply: HttpReply): PlumblineError {
    const { name, token } = this.#settings;
    // Remove the token from the host's message, so that our errors never contain it.
    return refusedReply(name, `${method} ${new URL(url).pathname}`, reply, (words) => words.replaceAll(token.reveal(), token.label));
  }

  #json({ body, status }: HttpReply): unknown {
    if (body.length === 0 && (status === 204 || status === 205)) return undefined;
    try {
      return readJson(body.toString("utf8"));
    } catch {
      throw unreadableReply(this.#settings.name, "it is no JSON");
    }
  }
}

/**
 * Creates an object that must not exist twice. If the reply is lost, `find` checks whether the object exists before it is created again.
 */
export async function createOnce<T>(create: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!passing(error)) throw error;
    return (await find()) ?? (await create());
  }
}
