import { PlumblineError } from "../../../core/errors.js";
import { tryParseJson } from "../../../core/json/parse.js";
import { isObject, type JsonObject } from "../../../core/json/value.js";
import { type HttpReply, headerOf } from "../../../http/message.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import { isPage, readErrorText } from "./error-text.js";
import { type ControllerRefusal, refusalOf } from "./refusal.js";

export type ContrailReply =
  | { readonly kind: "done"; readonly json: JsonObject; readonly etag: string | undefined }
  /** Status 304: the object is unchanged since `If-None-Match`. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly refusal: ControllerRefusal };

/**
 * Parses an HTTP reply. An empty success (DELETE, an update without changes) returns an empty object.
 * @param sent Credentials of the request. Text that repeats them is replaced by their labels.
 * @throws PlumblineError if the reply is incomplete or not from the controller.
 */
export function understandControllerReply(raw: HttpReply, place: ServerOrigin, sent: readonly unknown[] = []): ContrailReply {
  if (raw.status === 304) return { kind: "unchanged" };
  if (raw.status < 200 || raw.status >= 300) return { kind: "refused", refusal: understandRefusal(raw, place, sent) };
  const etag = headerOf(raw, "etag");
  const body = raw.body.toString("utf8");
  if (body === "") return { kind: "done", json: {}, etag };
  if (isPage(body)) throw notController(raw, place);
  return { kind: "done", json: parse(body, place), etag };
}

function understandRefusal(raw: HttpReply, place: ServerOrigin, sent: readonly unknown[]): ControllerRefusal {
  const words = readErrorText(headerOf(raw, "content-type") ?? "", raw.body.toString("utf8"), sent);
  // A "not found" from a proxy is no evidence about the object.
  if (!words.ofController && raw.status < 500) throw notController(raw, place);
  const refusal = refusalOf(raw.status, words);
  if (refusal !== undefined) return refusal;
  throw new PlumblineError("unexpected-http-status", `${place.origin} answered with HTTP status ${raw.status}`, {
    where: { target: place.target },
    next: "Check that the url is the controller's own, and that no proxy answers in its place.",
  });
}

function parse(body: string, place: ServerOrigin): JsonObject {
  const value = tryParseJson(body);
  if (isObject(value)) return value;
  throw new PlumblineError("controller-reply-broken", `${place.origin} sent a reply that is not a complete JSON object`, {
    where: { target: place.target },
    next: "Run again. If the error persists, look for a proxy that truncates replies.",
  });
}

function notController(raw: HttpReply, place: ServerOrigin): PlumblineError {
  return new PlumblineError(
    "controller-reply-html",
    `${place.origin} sent an HTML page that is not the controller's (HTTP status ${raw.status})`,
    {
      where: { target: place.target },
      next: "Check that the url is the controller's own: a login page or a proxy answers so.",
    },
  );
}
