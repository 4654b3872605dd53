import { PlumblineError } from "../../../core/errors.js";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { OpenstackReply } from "./reply.js";
import { type OpenstackRequest, requestLine, type ServiceType } from "./request.js";

export interface ListRequest {
  readonly service: ServiceType;
  readonly path: readonly string[];
  /** Member of the reply that contains the list: `networks`, `servers`, `keypairs`. */
  readonly collection: string;
  readonly query?: readonly (readonly [string, string])[] | undefined;
  readonly microversion?: string | undefined;
  /** As in `OpenstackRequest`. */
  readonly preferred?: string | undefined;
  /** Returns the key of an object. Default: its `id`. */
  readonly key?: ((item: JsonObject) => string | undefined) | undefined;
  /** Set if the service truncates the list without a link to the next page. Pages are then requested by offset until one is empty. */
  readonly isByOffset?: boolean | undefined;
  /** Number of objects per page. */
  readonly pageSize?: number | undefined;
}

/** Exceeds the length of any list of a project. */
const MAX_PAGES = 10_000;

/**
 * Reads all pages of a list in order. Only the query of a page link is used, because behind a proxy the host and the start of the path may
 * be internal. An object that is on two pages (after a concurrent create or delete) counts once.
 * @throws PlumblineError `list-not-whole` if the pages never end, and any error of a page
 */
export async function listPages(
  list: ListRequest,
  request: (request: OpenstackRequest) => Promise<OpenstackReply>,
  target: string,
): Promise<JsonObject[]> {
  const { service, path, collection, microversion, preferred, pageSize, key = (item) => textAt(item, "id") } = list;
  const words = requestLine({ method: "GET", path });
  const found = new Map<string, JsonObject>();
  const requested = new Set<string>();
  const first: readonly (readonly [string, string])[] = [...(list.query ?? []), ...(pageSize === undefined ? [] : [limit(pageSize)])];
  let query = first;
  for (;;) {
    requested.add(fingerprint(query));
    const { body } = await request({ service, method: "GET", path, query, microversion, preferred });
    const before = found.size;
    for (const item of itemsOf(body, collection, words, target)) {
      const id = key(item);
      if (id === undefined) throw incompleteList(words, target, "an object in it has no identifier");
      found.set(id, item);
    }
    const next = nextLink(body, collection);
    if (next === undefined && (list.isByOffset !== true || found.size === before)) return [...found.values()];
    query = next === undefined ? [...first, ["offset", String(found.size)]] : queryOf(next, path, words, target);
    if (requested.has(fingerprint(query)))
      throw incompleteList(words, target, "the link to the next page leads to a page that was already read");
    if (found.size === before) throw incompleteList(words, target, "a page has no new object and still links a next one");
    if (requested.size === MAX_PAGES) throw incompleteList(words, target, `it has more than ${MAX_PAGES} pages`);
  }
}

function limit(size: number): readonly [string, string] {
  return ["limit", String(size)];
}

function fingerprint(query: readonly (readonly [string, string])[]): string {
  return JSON.stringify([...query].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1)));
}

function itemsOf(body: JsonObject, collection: string, words: string, target: string): JsonObject[] {
  const items = body[collection];
  if (Array.isArray(items) && items.every(isObject)) return items;
  throw incompleteList(words, target, `a reply contains no list ${collection}`);
}

/** Finds the link to the next page. Network and compute: `<collection>_links`; image: `next`; identity: `links.next`. */
function nextLink(body: JsonObject, collection: string): string | undefined {
  const link = objectsAt(body, `${collection}_links`).find((each) => textAt(each, "rel") === "next");
  if (link !== undefined) return textAt(link, "href");
  const links = objectAt(body, "links");
  return textAt(body, "next") ?? (links === undefined ? undefined : textAt(links, "next"));
}

function queryOf(link: string, path: readonly string[], words: string, target: string): (readonly [string, string])[] {
  const base = "http://service.invalid";
  if (!URL.canParse(link, base)) throw incompleteList(words, target, "the link to the next page cannot be read");
  const url = new URL(link, base);
  const own = encodeURIComponent(path.findLast((step) => step !== "") ?? "");
  const last = url.pathname.split("/").findLast((step) => step !== "") ?? "";
  if (last.replace(/\.json$/, "") !== own) throw incompleteList(words, target, "the link to the next page leads to another list");
  return [...url.searchParams];
}

function incompleteList(words: string, target: string, reason: string): PlumblineError {
  return new PlumblineError("list-not-whole", `the list ${words} was not read to its end: ${reason}`, {
    where: { target },
    next: "Run again. If the error persists, check proxies between this machine and the service, and pageSize of the target.",
  });
}
