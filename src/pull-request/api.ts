import { request } from "undici";
import { PlumblineError } from "../core/errors.js";
import { readJson } from "../core/json/read-json.js";
import type { SecretValue } from "../core/secret.js";
import { readBody } from "../http/body.js";
import { type HttpReply, headerOf } from "../http/message.js";
import { callWithRetries } from "../http/retry.js";
import { passing, refusedReply, unavailable, unreadableReply } from "./api-errors.js";
import { askedFor, CODE_HOST_RETRY, mayPass } from "./rate-limit.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** What the client takes from the machine; tests give their own. */
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

/** JSON over HTTP to one code host: rate limits are waited for, what may pass is tried again, a token goes to its own host alone. */
export class ApiClient {
  readonly #settings: ApiSettings;
  readonly #dependencies: ApiDependencies;

  constructor(settings: ApiSettings, dependencies: ApiDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /** The parsed reply of a request below the API's base. Throws `code-host-…`. */
  async send(method: Method, path: string, body?: unknown): Promise<unknown> {
    return this.#json(await this.#exchange(method, `${this.#settings.api}${path}`, body));
  }

  /** The reply, or undefined where the host answers with one of `statuses`. */
  async ask(path: string, statuses: readonly number[]): Promise<unknown> {
    const reply = await this.#exchange("GET", `${this.#settings.api}${path}`, undefined, statuses);
    return statuses.includes(reply.status) ? undefined : this.#json(reply);
  }

  /** Every item of a list, over all its pages, as the host's `Link: rel="next"` or `X-Next-Page` leads. */
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
    // The token is for this host alone, whatever a reply says.
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
      askedWait: (reply: HttpReply) => askedFor(reply, this.#dependencies.now()),
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
    // A host that repeats the token in its complaint must not bring it into our messages.
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
 * Creates what must not exist twice: where the reply was lost, `find` tells whether it was made after all, before it is
 * made again.
 */
export async function createOnce<T>(create: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!passing(error)) throw error;
    return (await find()) ?? (await create());
  }
}
