import { PlumblineError } from "../../../core/errors.js";
import { tryParseJson } from "../../../core/json/parse.js";
import { isObject, type JsonObject } from "../../../core/json/value.js";
import { readBody } from "../../../http/body.js";
import { isTransportFailure, transportError } from "../../../http/transport-errors.js";
import { type ContrailClient, MAX_REPLY_BYTES } from "./client.js";
import { readErrorText } from "./error-text.js";
import { readEvents } from "./event-stream.js";
import { refusalError, refusalOf } from "./refusal.js";
import { query } from "./request.js";
import { type ContrailType, underscored } from "./types.js";

/** Event of a watch. `init` holds the complete list of a type, `delete` only the uuid. */
export interface WatchEvent {
  readonly kind: "init" | "create" | "update" | "delete";
  readonly data: JsonObject;
}

/** Maximum size of a reply without an event stream, in bytes. */
const LARGEST_REFUSAL = 1_000_000;

const KINDS: ReadonlySet<string> = new Set(["init", "create", "update", "delete"]);

/**
 * Watches types until `signal` is aborted or the controller ends the stream. Returns undefined if the controller has no `/watch` (before
 * R2008). The caller then polls.
 */
export async function watch(
  client: ContrailClient,
  types: readonly ContrailType[],
  signal: AbortSignal,
): Promise<AsyncIterable<WatchEvent> | undefined> {
  const path = `/watch${query({ resource_type: types.map(underscored).join(",") })}`;
  const { statusCode, headers, body } = await client.stream(path, signal);
  const contentType = String(headers["content-type"] ?? "");
  if (statusCode === 200 && /^text\/event-stream\b/i.test(contentType)) return events(client, body, signal);
  const words = readErrorText(contentType, (await readBody(body, undefined, LARGEST_REFUSAL, client.place)).toString("utf8"), client.sent);
  if (statusCode === 404) return undefined;
  const refusal = refusalOf(statusCode, words);
  throw refusal === undefined ? notEvents(client, statusCode) : refusalError(refusal, "GET /watch", client.place);
}

async function* events(client: ContrailClient, body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<WatchEvent> {
  try {
    for await (const { event, data } of readEvents(body, MAX_REPLY_BYTES)) {
      const value = tryParseJson(data);
      if (!KINDS.has(event) || !isObject(value)) throw notEvents(client, 200);
      yield { kind: event as WatchEvent["kind"], data: value };
    }
  } catch (error) {
    if (signal.aborted) return;
    throw isTransportFailure(error) ? transportError(error, client.place) : error;
  }
}

function notEvents({ place }: ContrailClient, status: number): PlumblineError {
  return new PlumblineError("controller-watch-broken", `${place.origin} answers /watch with an invalid event (HTTP status ${status})`, {
    where: { target: place.target },
    next: "Look for a proxy that blocks streams. Without /watch, changes are found at the next pass.",
  });
}
