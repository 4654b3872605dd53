import { request } from "undici";
import { redactUrls } from "../../core/redact-urls.js";
import { readVersioned, replaceFile } from "./folder-store.js";
import { VersionConflict, type Versioned } from "./store.js";

/** One text that is replaced whole, at a place that the user names. */
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

const TIMEOUT = 30_000;

/** `--ledger URL`: GET, and PUT with `If-Match` (`If-None-Match: *` for the first), so the server must give an ETag. */
export function urlDocument(url: string): Document {
  const limits = { headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT };
  const place = redactUrls(new URL(url).href);
  return {
    place,
    async read() {
      const reply = await request(url, limits);
      const text = await reply.body.text();
      if (reply.statusCode === 404) return undefined;
      if (reply.statusCode !== 200) throw new Error(`GET answered ${reply.statusCode}`);
      const version = reply.headers.etag;
      if (typeof version !== "string") throw new Error("the server gives no ETag, so two writers could not be told apart");
      return { text, version };
    },
    async write(text, expected) {
      const condition: Record<string, string> = expected === undefined ? { "if-none-match": "*" } : { "if-match": expected };
      const reply = await request(url, {
        ...limits,
        method: "PUT",
        body: text,
        headers: { "content-type": "application/json", ...condition },
      });
      await reply.body.dump();
      if (reply.statusCode === 412 || reply.statusCode === 409) throw new VersionConflict(place);
      if (reply.statusCode < 200 || reply.statusCode > 299) throw new Error(`PUT answered ${reply.statusCode}`);
      if (typeof reply.headers.etag === "string") return reply.headers.etag;
      const written = await this.read();
      if (written?.text !== text) throw new VersionConflict(place);
      return written.version;
    },
  };
}
