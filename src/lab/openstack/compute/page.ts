import type { JsonObject } from "../world/json.js";
import { badRequest } from "./errors.js";

interface Cut<T> {
  readonly objects: readonly T[];
  /** `{"servers_links": […]}`, or empty on the last page. */
  readonly links: JsonObject;
}

/** Returns the page that `limit` and `marker` select, within the server's maximum. */
export function cut<T>(
  kind: string,
  objects: readonly T[],
  idOf: (object: T) => string,
  query: URLSearchParams,
  maximum: number,
  url: string,
): Cut<T> {
  const limit = query.get("limit");
  if (limit !== null && !/^\d*$/.test(limit)) {
    throw badRequest(`Invalid input for query parameters limit. Value: ${limit}. '${limit}' does not match '^[0-9]*$'`);
  }
  const marker = query.get("marker");
  const at = marker === null ? -1 : objects.findIndex((object) => idOf(object) === marker);
  if (marker !== null && at < 0) throw badRequest(`marker [${marker}] not found`);
  const size = Math.min(limit === null || limit === "" ? maximum : Number(limit), maximum);
  const shown = objects.slice(at + 1, at + 1 + size);
  const last = shown.at(-1);
  if (last === undefined || at + 1 + size >= objects.length) return { objects: shown, links: {} };
  const next = new URLSearchParams([...query].filter(([name]) => name !== "marker"));
  next.append("marker", idOf(last));
  return { objects: shown, links: { [`${kind}_links`]: [{ rel: "next", href: `${url}?${next}` }] } };
}
