import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { parseXml } from "../../../core/tree/xml/parse.js";
import { type HttpReply, headerOf } from "../../../http/message.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import { type DeviceReply, readReply } from "./reply.js";

/**
 * Parses an HTTP reply, or throws an error that explains why it is unusable: an error page, HTML with status 200 or 414, another content
 * type, an empty reply, or truncated XML.
 */
export function understandDeviceReply(raw: HttpReply, place: ServerOrigin, maxBytes: number): DeviceReply {
  if (raw.status === 414 || raw.status === 431) throw requestTooLong(raw.status, place);
  const isXml = /^(application|text)\/xml\b/i.test(contentTypeOf(raw)) || (contentTypeOf(raw) === "" && startsLikeXml(raw.body));
  if (raw.status !== 200) return understandFailure(raw, place, isXml, maxBytes);
  if (raw.body.length === 0) {
    throw new PlumblineError("reply-empty", `${place.origin} sent an empty reply`, {
      where: { target: place.target },
      next: "Run again. If the error persists, check the management plane of the device.",
    });
  }
  if (!isXml) throw notXml(raw, place);
  const reply = readReply(parse(raw.body, place, maxBytes), raw.status);
  if (reply === undefined) {
    throw new PlumblineError("reply-not-a-response", `${place.origin} sent XML that is not a reply of the firewall interface`, {
      where: { target: place.target },
      next: "Check that the url is the device's own, without a path behind it.",
    });
  }
  return reply;
}

function understandFailure(raw: HttpReply, place: ServerOrigin, isXml: boolean, maxBytes: number): DeviceReply {
  const reply = isXml && raw.body.length > 0 ? lenientReply(raw, maxBytes) : undefined;
  if (reply !== undefined && raw.status < 500) return reply;
  const status = `${place.origin} answered with HTTP status ${raw.status}`;
  if (raw.status >= 500 || raw.status === 429) {
    throw new PlumblineError("device-unavailable", status, {
      where: { target: place.target },
      next: "Wait until the management plane answers again, then run again.",
    });
  }
  throw new PlumblineError("unexpected-http-status", status, {
    where: { target: place.target },
    next: "Check that the url is the device's own, and that no proxy answers in its place.",
  });
}

/** Parses the envelope in an error page, if it is complete. */
function lenientReply(raw: HttpReply, maxBytes: number): DeviceReply | undefined {
  try {
    return readReply(parseXml(raw.body, { maxBytes }), raw.status);
  } catch {
    return undefined;
  }
}

function parse(body: Buffer, place: ServerOrigin, maxBytes: number): TreeNode {
  try {
    return parseXml(body, { maxBytes });
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    const at = error.where.line === undefined ? "" : ` at line ${error.where.line}`;
    throw new PlumblineError("reply-not-well-formed", `${place.origin} sent invalid or truncated XML${at} (${error.code})`, {
      where: { target: place.target },
      next: "Run again. If the error persists, look for a proxy that truncates replies, and check the device's logs.",
    });
  }
}

function requestTooLong(httpStatus: number, place: ServerOrigin): PlumblineError {
  return new PlumblineError("request-too-long", `${place.origin} refused a request for its length (HTTP status ${httpStatus})`, {
    where: { target: place.target },
    next: "Set http: post or http: auto for this target, or lower maxRequestBytes.",
  });
}

function notXml(raw: HttpReply, place: ServerOrigin): PlumblineError {
  const where = { target: place.target };
  if (/html/i.test(contentTypeOf(raw)) || /^\s*<(!doctype\s+html|html)\b/i.test(raw.body.subarray(0, 200).toString("latin1"))) {
    return new PlumblineError("reply-html", `${place.origin} sent an HTML page instead of XML`, {
      where,
      next: "Check that the url is the device's own: a login page, a proxy or a starting management plane answers so.",
    });
  }
  return new PlumblineError(
    "reply-content-type",
    `${place.origin} sent a reply of type "${contentTypeOf(raw) || "unknown"}" instead of XML`,
    {
      where,
      next: "Check that the url is the device's own and that no proxy answers in its place.",
    },
  );
}

function startsLikeXml(body: Buffer): boolean {
  return /^\s*<(\?xml|response)\b/.test(body.subarray(0, 100).toString("latin1"));
}

function contentTypeOf(raw: HttpReply): string {
  return headerOf(raw, "content-type") ?? "";
}
