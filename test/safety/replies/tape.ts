import { Readable } from "node:stream";
import { type Dispatcher, FormData, Pool } from "undici";
import type { HttpDependencies } from "../../../src/http/dependencies.js";

/** One complete reply as sent on the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** More requests than a reader has any reason to make; it follows something without an end. */
class TooManyRequests extends Error {}

type DispatcherOf = HttpDependencies["dispatcher"];

/** Replies of a service by request, and their order. */
export class Tape {
  readonly #replies = new Map<string, Reply>();
  readonly #byPath = new Map<string, Reply>();

  get all(): readonly (readonly [asked: string, reply: Reply])[] {
    return [...this.#replies];
  }

  /** Sends the request to the real service and records the reply. */
  readonly recording: DispatcherOf = (origin, options) => {
    const pool = new Pool(origin, options);
    const request = async (asked: Dispatcher.RequestOptions): Promise<unknown> => {
      const { statusCode, headers, body } = await pool.request(asked);
      const reply = { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
      this.#replies.set(wordsOf(origin, asked), reply);
      this.#byPath.set(pathOf(origin, asked), reply);
      return answer(reply);
    };
    return { request, destroy: () => pool.destroy() } as unknown as Dispatcher;
  };

  /** Answers from the recording, but with `other` to the request `changed`. An unrecorded request gets "not found". */
  replaying(changed: string, other: Reply, most: number): DispatcherOf {
    let requests = 0;
    return (origin) => {
      const request = async (asked: Dispatcher.RequestOptions): Promise<unknown> => {
        requests += 1;
        if (requests > most) throw new TooManyRequests(`more than ${most} requests`);
        const words = wordsOf(origin, asked);
        if (words === changed) return answer(other);
        return answer(this.#replies.get(words) ?? this.#byPath.get(pathOf(origin, asked)) ?? NOT_THERE);
      };
      return { request, destroy: async () => undefined } as unknown as Dispatcher;
    };
  }
}

const NOT_THERE: Reply = { status: 404, headers: { "content-type": "text/plain" }, body: Buffer.from("not here") };

function answer({ status, headers, body }: Reply): unknown {
  return { statusCode: status, headers, body: Readable.from(body.length === 0 ? [] : [body]) };
}

function pathOf(origin: string, { method, path }: Dispatcher.RequestOptions): string {
  return `${method} ${origin}${path.split("?")[0]}`;
}

function wordsOf(origin: string, { method, path, body }: Dispatcher.RequestOptions): string {
  const sent = body instanceof FormData ? JSON.stringify([...body]) : String(body ?? "");
  return `${method} ${origin}${path} ${sent}`;
}
