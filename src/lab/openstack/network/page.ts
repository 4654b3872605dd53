import type { JsonObject } from "../world/json.js";
import type { Attributes } from "./attributes.js";
import { badRequest, badResource, type NetworkKind, notFound } from "./errors.js";

interface Link {
  readonly rel: "next" | "previous";
  readonly href: string;
}

/** A page of a list. It has links only if the request or the server's maximum limits the list. */
export interface Page {
  readonly objects: readonly JsonObject[];
  readonly links: readonly Link[] | undefined;
}

/** Sorts the objects and returns the page that the query selects. A full page always has a link to the next one. */
export function page(
  kind: NetworkKind,
  objects: readonly JsonObject[],
  query: URLSearchParams,
  attributes: Attributes,
  maximum: number | undefined,
  url: string,
): Page {
  const sorted = sort(objects, query, attributes);
  const limit = limitOf(query, maximum);
  const reverse = query.get("page_reverse")?.toLowerCase() === "true";
  const rest = afterMarker(kind, reverse ? sorted.reverse() : sorted, query.get("marker"));
  if (limit === undefined) return { objects: reverse ? rest.reverse() : rest, links: undefined };
  const cut = rest.slice(0, limit);
  const shown = reverse ? cut.reverse() : cut;
  return { objects: shown, links: linksOf(shown, cut.length >= limit, reverse, query, url) };
}

function limitOf(query: URLSearchParams, maximum: number | undefined): number | undefined {
  const text = query.get("limit");
  if (text !== null && !/^\d+$/.test(text)) {
    throw badResource("limit", `Limit must be an integer 0 or greater and not '${text}'`);
  }
  const wanted = text === null || Number(text) === 0 ? undefined : Number(text);
  return maximum === undefined ? wanted : Math.min(maximum, wanted ?? maximum);
}

function afterMarker(kind: NetworkKind, objects: JsonObject[], marker: string | null): JsonObject[] {
  if (marker === null) return objects;
  const at = objects.findIndex(({ id }) => id === marker);
  if (at < 0) throw notFound(kind, marker);
  return objects.slice(at + 1);
}

function linksOf(shown: readonly JsonObject[], isFull: boolean, reverse: boolean, query: URLSearchParams, url: string): Link[] {
  const links: Link[] = [];
  const href = (marker: unknown, more: string): string => {
    const rest = new URLSearchParams([...query].filter(([name]) => name !== "marker" && name !== "page_reverse"));
    rest.append("marker", String(marker));
    return `${url}?${rest}${more}`;
  };
  const first = shown[0]?.id;
  const last = shown.at(-1)?.id;
  if (shown.length === 0) {
    const marker = query.get("marker");
    return marker === null ? [] : [{ rel: reverse ? "next" : "previous", href: href(marker, reverse ? "" : "&page_reverse=True") }];
  }
  if (isFull || reverse) links.push({ rel: "next", href: href(last, "") });
  if (query.has("marker") || reverse || isFull) links.push({ rel: "previous", href: href(first, "&page_reverse=True") });
  return links;
}

function sort(objects: readonly JsonObject[], query: URLSearchParams, attributes: Attributes): JsonObject[] {
  const keys = query.getAll("sort_key");
  const directions = query.getAll("sort_dir");
  const unknown = keys.filter((key) => attributes[key] === undefined);
  if (unknown.length > 0) throw badRequest(`[${unknown.map((key) => `'${key}'`).join(", ")}] is invalid attribute for sort_keys`);
  if (keys.length !== directions.length) throw badRequest("The number of sort_keys and sort_dirs must be same");
  const wrong = directions.find((direction) => direction !== "asc" && direction !== "desc");
  if (wrong !== undefined) throw badRequest(`'${wrong}' is not a valid sort direction, it must be 'asc' or 'desc'`);
  return [...objects].sort((a, b) => {
    for (const [index, key] of keys.entries()) {
      const [left, right] = [a[key] ?? "", b[key] ?? ""];
      if (left === right) continue;
      return (left < right ? -1 : 1) * (directions[index] === "desc" ? -1 : 1);
    }
    return 0;
  });
}
