import type { PanosTargetConfiguration } from "../settings.js";
import type { PanosRequest } from "./request.js";

/** Longest query string that devices accept by GET, in bytes (docs/contributing/devices/panos.md#transport). */
const MAX_QUERY_BYTES = 2048;

export interface EncodedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Transport = Pick<PanosTargetConfiguration, "http" | "keyIn">;

/**
 * Encodes a request. By default, short plain requests use GET with query parameters, as in the specification. A POST form is used if the
 * request is longer than 2 KB, not ASCII, or sensitive. The `http` setting overrides this.
 */
export function encodeRequest(request: PanosRequest, key: string | undefined, path: string, transport: Transport): EncodedRequest {
  const inHeader = key !== undefined && transport.keyIn === "header";
  const keyParameter = key === undefined || inHeader ? [] : [["key", key] as const];
  const form = new URLSearchParams([...request.parameters, ...keyParameter] as [string, string][]).toString();
  const headers: Record<string, string> = { accept: "application/xml", ...(inHeader ? { "x-pan-key": key } : {}) };
  if (isSentByGet(request, form, transport.http)) {
    return { method: "GET", path: `${path}?${form.replaceAll("+", "%20")}`, headers, body: undefined };
  }
  headers["content-type"] = "application/x-www-form-urlencoded";
  return { method: "POST", path, headers, body: form };
}

function isSentByGet(request: PanosRequest, form: string, http: Transport["http"]): boolean {
  if (http !== "auto") return http === "get";
  return request.sensitive !== true && form.length < MAX_QUERY_BYTES && request.parameters.every(([, value]) => isAscii(value));
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
