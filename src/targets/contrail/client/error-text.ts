import { hideSecrets } from "../../../core/hide-secrets.js";
import { tryParseJson } from "../../../core/json/parse.js";
import { isObject, objectAt, textAt } from "../../../core/json/value.js";

/** Text of an error reply. */
export interface ErrorText {
  readonly text: string;
  /** False if the page was sent by a proxy and not by the controller. */
  readonly ofController: boolean;
}

const LONGEST = 600;

/**
 * Reads the body of an error reply. It has one of four forms (docs/contributing/devices/contrail.md#errors): JSON of the token check, text labelled as
 * HTML, the web framework's page with the message in `<pre>`, or plain text. Credentials in `sent` are replaced by their labels.
 */
export function readErrorText(contentType: string, body: string, sent: readonly unknown[]): ErrorText {
  const text = wordsOf(contentType, body);
  return { ...text, text: shortened(hideSecrets(text.text, sent)) };
}

function wordsOf(contentType: string, body: string): ErrorText {
  const json = /\bjson\b/i.test(contentType) ? jsonWords(body) : undefined;
  if (json !== undefined) return { text: json, ofController: true };
  if (!isPage(body)) return { text: body.trim(), ofController: true };
  const pre = /<pre>([\s\S]*?)<\/pre>/i.exec(body)?.[1];
  return pre === undefined ? { text: titleOf(body), ofController: false } : { text: unescaped(pre), ofController: true };
}

export function isPage(body: string): boolean {
  return /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<(!doctype\s+html|html)\b/i.test(body.slice(0, 2000));
}

function jsonWords(body: string): string | undefined {
  const value = tryParseJson(body);
  return isObject(value) ? textAt(objectAt(value, "error") ?? value, "message") : undefined;
}

function titleOf(page: string): string {
  return (/<title>([\s\S]*?)<\/title>/i.exec(page)?.[1] ?? "").trim();
}

function unescaped(text: string): string {
  return text
    .replaceAll(/&#0*39;/g, "'")
    .replaceAll(/&(#0*34|quot);/g, '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}
