import { PlumblineError } from "../../../core/errors.js";
import { tryParseJson } from "../../../core/json/parse.js";
import { isObject, type JsonObject } from "../../../core/json/value.js";
import type { SecretValue } from "../../../core/secret.js";
import { headerOf } from "../../../http/message.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import { classify } from "./classify.js";
import { isPage, readErrorText } from "./error-text.js";
import { OpenstackError } from "./openstack-error.js";
import type { OpenstackReply, RawReply } from "./reply.js";
import type { ServiceType } from "./request.js";
import { extractSecrets } from "./secrets.js";

/** Facts about a request for messages. */
export interface RequestFacts {
  readonly service: ServiceType;
  readonly place: ServerOrigin;
  readonly words: string;
  /** Sent secrets, which messages must not contain. */
  readonly secrets: readonly SecretValue[];
}

/** Status of a version document. */
const MULTIPLE_CHOICES = 300;

/**
 * Parses an HTTP reply.
 * @throws OpenstackError if the service refuses; PlumblineError if the reply is not from the service, or truncated
 */
export function parseCloudReply(raw: RawReply, request: RequestFacts): OpenstackReply {
  if (raw.status > MULTIPLE_CHOICES || raw.status < 200) throw refusalOf(raw, request);
  const { body, secrets } = extractSecrets(readBody(raw, request));
  return { status: raw.status, headers: raw.headers, requestId: requestIdOf(raw), body, secrets };
}

function refusalOf(raw: RawReply, { service, place, words: request, secrets }: RequestFacts): PlumblineError {
  const words = readErrorText(raw, secrets);
  const refusal = classify(service, raw.status, words, headerOf(raw, "retry-after"));
  const { text } = words;
  if (refusal !== undefined) {
    const { status } = raw;
    const { target, origin } = place;
    return new OpenstackError({
      target,
      service,
      origin,
      request,
      refusal,
      status,
      type: words.type,
      words: text,
      requestId: requestIdOf(raw),
    });
  }
  const detail = text === "" ? "" : `: ${text}`;
  return new PlumblineError("unexpected-http-status", `${place.origin} answered ${request} with HTTP status ${raw.status}${detail}`, {
    where: { target: place.target },
    next: `Check the address of the ${service} service, and that no proxy answers in its place.`,
  });
}

function readBody(raw: RawReply, request: RequestFacts): JsonObject {
  if (raw.status === 204 || (raw.body === "" && raw.status !== 200)) return {};
  const { place, words } = request;
  const where = { target: place.target };
  if (raw.body === "" && words.startsWith("GET "))
    throw new PlumblineError("reply-empty", `${place.origin} sent an empty reply to ${words}${requestNote(raw)}`, {
      where,
      next: "Run again. If the error persists, look for a proxy that truncates replies.",
    });
  if (raw.body === "") return {};
  if (isPage(raw))
    throw new PlumblineError("reply-html", `${place.origin} sent an HTML page instead of JSON, in reply to ${words}`, {
      where,
      next: `Check the address of the ${request.service} service: a login page or a proxy answers so.`,
    });
  const value = tryParseJson(raw.body);
  if (value === null) return {};
  if (isObject(value)) return value;
  throw new PlumblineError("reply-not-json", `${place.origin} sent invalid or truncated JSON, in reply to ${words}${requestNote(raw)}`, {
    where,
    next: "Run again. If the error persists, look for a proxy that truncates replies.",
  });
}

function requestIdOf(raw: RawReply): string | undefined {
  return headerOf(raw, "x-openstack-request-id") ?? headerOf(raw, "x-compute-request-id");
}

function requestNote(raw: RawReply): string {
  const id = requestIdOf(raw);
  return id === undefined ? "" : ` (${id})`;
}
