import { type Dispatcher, request } from "undici";
import { redactUrls } from "../../core/redact-urls.js";
import { readBody } from "../../http/body.js";
import { withDeadline } from "../../http/deadline.js";
import { MOST_LEDGER_BYTES, readVersioned, replaceFile } from "./folder-store.js";
import { VersionConflict, type Versioned } from "./store.js";

/** A text at a location given by the user, always replaced completely. */
export interface Document {
  readonly place: string;
  read(): Promise<Versioned | undefined>;
  /** @throws VersionConflict */
  write(text: string, expected: string | undefined): Promise<string>;
}

/** `--ledger FILE`. */
export function fileDocument(file: string): Document {
  return { place: file, read: () => readVersioned(file), write: (text, expected) => replaceFile(file, text, expected) };
}

/** Timeout in milliseconds for a request with its complete response. It also limits the wait when a run is stopped. */
const TIMEOUT = 30_000;

/** `--ledger URL`: GET, and PUT with `If-Match` (`If-None-Match: *` for the first), so the server must give an ETag. */
export function urlDocument(url: string, timeout = TIMEOUT): Document {
  const place = redactUrls(new URL(url).href);
  const exchange = <Result>(
    options: Pick<Dispatcher.RequestOptions, "method" | "body" | "headers">,
    work: (reply: Dispatcher.ResponseData) => Promise<Result>,
  ): Promise<Result> => withDeadline(timeout, async (signal) => await work(await request(url, { ...options, signal })));
  return {
    place,
    async read() {
      return await exchange({ method: "GET" }, async ({ statusCode, headers, body }) => {
        if (statusCode !== 200) {
          await body.dump();
          if (statusCode === 404) return undefined;
          throw new Error(`GET answered ${statusCode}`);
        }
        const version = headers.etag;
        const length = headers["content-length"];
        const reading = readBody(body, typeof length === "string" ? length : undefined, MOST_LEDGER_BYTES, {
          origin: new URL(url).origin,
          target: "",
        });
        // The ledger adds its place and the target to the reason.
        const bytes = await reading.catch((error: Error) => Promise.reject(new Error(error.message)));
        if (typeof version !== "string") throw new Error("the server returns no ETag, so parallel writes cannot be detected");
        return { text: bytes.toString("utf8"), version };
      });
    },
    async write(text, expected) {
      const condition: Record<string, string> = expected === undefined ? { "if-none-match": "*" } : { "if-match": expected };
      const headers = { "content-type": "application/json", ...condition };
      const { statusCode, etag } = await exchange({ method: "PUT", body: text, headers }, async (reply) => {
        await reply.body.dump();
        return { statusCode: reply.statusCode, etag: reply.headers.etag };
      });
      if (statusCode === 412 || statusCode === 409) throw new VersionConflict(place);
      if (statusCode < 200 || statusCode > 299) throw new Error(`PUT answered ${statusCode}`);
      if (typeof etag === "string") return etag;
      const written = await this.read();
      if (written?.text !== text) throw new VersionConflict(place);
      return written.version;
    },
  };
}
