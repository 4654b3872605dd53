import { hideSecrets } from "../../../core/hide-secrets.js";
import { tryParseJson } from "../../../core/json/parse.js";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { SecretValue } from "../../../core/secret.js";
import { headerOf } from "../../../http/message.js";
import type { RawReply } from "./reply.js";

/** The message in the body of a refusal. */
export interface ErrorText {
  /** Error type that the service reports. */
  readonly type: string | undefined;
  readonly text: string;
  /** `service`: a known error format; `page`: HTML; `text`: anything else. Proxies send pages and texts. */
  readonly form: "service" | "page" | "text";
}

const LONGEST = 1000;

/**
 * Parses an error body: NeutronError, compute's single key, keystone's `error`, placement's `errors`, plain text, HTML, or an empty body.
 * Secrets are replaced with their labels. JSON from the services' web framework (`message`, `code: "404 Not Found"`, `title`) counts as
 * text.
 */
export function readErrorText(raw: RawReply, secrets: readonly SecretValue[] = []): ErrorText {
  const oneLine = (text: string): string => shorten(hideSecrets(text, secrets));
  const value = tryParseJson(raw.body);
  const words = isObject(value) ? ofService(value) : undefined;
  if (words !== undefined) return { ...words, text: oneLine(words.text), form: "service" };
  const plain = isObject(value) ? textAt(value, "message") : undefined;
  if (plain !== undefined) return { type: undefined, text: oneLine(plain.replace(/<br\s*\/?>/g, " ")), form: "text" };
  if (isPage(raw)) return { type: undefined, text: oneLine(/<title>([^<]*)<\/title>/i.exec(raw.body)?.[1] ?? ""), form: "page" };
  return { type: undefined, text: oneLine(raw.body), form: "text" };
}

function ofService(body: JsonObject): { readonly type: string | undefined; readonly text: string } | undefined {
  const neutron = objectAt(body, "NeutronError");
  if (neutron !== undefined) return { type: textAt(neutron, "type"), text: textAt(neutron, "message") ?? "" };
  if (typeof body.NeutronError === "string") return { type: undefined, text: body.NeutronError };
  const keystone = objectAt(body, "error");
  if (keystone !== undefined) return { type: textAt(keystone, "title"), text: textAt(keystone, "message") ?? "" };
  const [first] = objectsAt(body, "errors");
  if (first !== undefined) return { type: textAt(first, "title"), text: textAt(first, "detail") ?? "" };
  const [key, ...others] = Object.keys(body);
  const compute = key === undefined || others.length > 0 ? undefined : objectAt(body, key);
  const message = compute === undefined ? undefined : textAt(compute, "message");
  return message === undefined ? undefined : { type: key, text: message };
}

export function isPage(raw: RawReply): boolean {
  return /html/i.test(headerOf(raw, "content-type") ?? "") || /^\s*<(!doctype\s+html|html)\b/i.test(raw.body.slice(0, 200));
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
