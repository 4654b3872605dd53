import { isAscii, isUtf8 } from "node:buffer";
import { PlumblineError } from "../../errors.js";
import { DEFAULT_MAX_BYTES, type XmlLimits } from "./limits.js";
import { refusal } from "./malformed.js";

/**
 * The text of a document, without its byte order mark. ASCII becomes a string of one byte a character, which halves
 * the memory of a large configuration. Throws `xml-too-large`, and `xml-encoding` for bytes that are not UTF-8.
 */
export function decodeXml(input: Uint8Array | string, limits: XmlLimits): string {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES;
  if (input.length > maxBytes) {
    throw new PlumblineError("xml-too-large", `The XML document has ${input.length} bytes, more than the ${maxBytes} allowed.`, {
      next: "Read a smaller part of the configuration, or raise the limit.",
    });
  }
  return typeof input === "string" ? fromString(input) : fromBytes(input);
}

function fromString(input: string): string {
  const lone = input.search(/\p{Surrogate}/u);
  if (lone >= 0) {
    throw refusal("xml-encoding", input, lone, "half of a surrogate pair stands alone", "Decode the document as UTF-8.");
  }
  return input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
}

function fromBytes(input: Uint8Array): string {
  const bytes = Buffer.isBuffer(input) ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes)) {
    throw new PlumblineError("xml-encoding", "The XML document is not valid UTF-8.", {
      next: "Convert the document to UTF-8, or fetch it again if it was cut.",
    });
  }
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString("utf8", start);
}
