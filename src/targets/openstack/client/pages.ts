import { PlumblineError } from "../../../core/errors.js";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { OpenstackReply } from "./reply.js";
import { type OpenstackRequest, requestWords, type ServiceType } from "./request.js";

export interface ListRequest {
  readonly service: ServiceType;
  readonly path: readonly string[];
  /** The member of the reply that holds the list: `networks`, `servers`, `keypairs`. */
  readonly collection: string;
  readonly query?: readonly (readonly [string, string])[] | undefined;
  readonly microversion?: string | undefined;
  /** As in a request. */
  readonly preferred?: string | undefined;
  /** What one object is known by; its `id` when left out. */
  readonly key?: ((item: JsonObject) => string | undefined) | undefined;
  /** The service cuts the list and gives no link to what follows: that is asked for by its place until nothing comes. */
  readonly isByOffset?: boolean | undefined;
  /** Objects asked for in one page. */
  readonly pageSize?: number | undefined;
}

/** No list of a project is as long as that. */
const MAX_PAGES = 10_000;

/**
 * Reads all pages of a list, one after the other, by the links that the service gives. Of a link only the query is
 * used: behind a proxy its host, and even the start of its path, is that of the inner service. An object that two pages
 * hold (something was made or deleted meanwhile) is taken once.
 * @throws PlumblineError `list-not-whole` where the pages never end, and whatever a page that fails raises
 */
export async function listPages(
  list: ListRequest,
  request: (request: OpenstackRequest) => Promise<OpenstackReply>,
  target: string,
): Promise<JsonObject[]> {
  const { service, path, collection, microversion, preferred, pageSize, key = (item) => textAt(item, "id") } = list;
  const words = requestWords({ method: "GET", path });
  const found = new Map<string, JsonObject>();
  const asked = new Set<string>();
  const first: readonly (readonly [string, string])[] = [...(list.query ?? []), ...(pageSize === undefined ? [] : [limit(pageSize)])];
  let query = first;
  for (;;) {
    asked.add(fingerprint(query));
    const { body } = await request({ service, method: "GET", path, query, microversion, preferred });
    const before = found.size;
    for (const item of itemsOf(body, collection, words, target)) {
      const id = key(item);
      if (id === undefined) throw notWhole(words, target, "an object in it has nothing that it is known by");
      found.set(id, item);
    }
    const next = nextLink(body, collection);
    if (next === undefined && (list.isByOffset !== true || found.size === before)) return [...found.values()];
    query = next === undefined ? [...first, ["offset", String(found.size)]] : queryOf(next, path, words, target);
    if (asked.has(fingerprint(query))) throw notWhole(words, target, "the link to the next page leads back to one that was read");
    if (found.size === before) throw notWhole(words, target, "a page brought nothing new and still names a next one");
    if (asked.size === MAX_PAGES) throw notWhole(words, target, `it has more than ${MAX_PAGES} pages`);
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
  throw notWhole(words, target, `a reply holds no list called ${collection}`);
}

/** Network and compute: `<collection>_links`; image: `next`; identity: `links.next`. */
function nextLink(body: JsonObject, collection: string): string | undefined {
  const link = objectsAt(body, `${collection}_links`).find((each) => textAt(each, "rel") === "next");
  if (link !== undefined) return textAt(link, "href");
  const links = objectAt(body, "links");
  return textAt(body, "next") ?? (links === undefined ? undefined : textAt(links, "next"));
}

function queryOf(link: string, path: readonly string[], words: string, target: string): (readonly [string, string])[] {
  const base = "http://service.invalid";
  if (!URL.canParse(link, base)) throw notWhole(words, target, "the link to the next page cannot be read");
  const url = new URL(link, base);
  const own = encodeURIComponent(path.findLast((step) => step !== "") ?? "");
  const last = url.pathname.split("/").findLast((step) => step !== "") ?? "";
  if (last.replace(/\.json$/, "") !== own) throw notWhole(words, target, "the link to the next page leads to another list");
  return [...url.searchParams];
}

function notWhole(words: string, target: string, reason: string): PlumblineError {
  return new PlumblineError("list-not-whole", `the list ${words} was not read to its end: ${reason}`, {
    where: { target },
    next: "Run again; if it stays so, look at what stands between this machine and the service, and at pageSize of the target.",
  });
}
