import { isUtf8 } from "node:buffer";
import { PlumblineError } from "../../errors.js";
import { DEFAULT_MAX_BYTES, type XmlLimits } from "./limits.js";
import { refusal } from "./malformed.js";

/**
 * The UTF-8 bytes of a document, without its byte order mark. Bytes are scanned as they are, and only names and texts
 * become strings: a configuration is never held a second time as one long string.
 * Throws `xml-too-large`, and `xml-encoding` for bytes that are not UTF-8.
 */
export function xmlBytes(input: Uint8Array | string, limits: XmlLimits): Buffer {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES;
  const size = typeof input === "string" ? Buffer.byteLength(input) : input.length;
  if (size > maxBytes) {
    throw new PlumblineError("xml-too-large", `The XML document has ${size} bytes, more than the ${maxBytes} allowed.`, {
      next: "Read a smaller part of the configuration, or raise the limit.",
    });
  }
  const bytes = typeof input === "string" ? fromString(input) : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (!isUtf8(bytes)) {
    throw new PlumblineError("xml-encoding", "The XML document is not valid UTF-8.", {
      next: "Convert the document to UTF-8, or fetch it again if it was cut.",
    });
  }
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function fromString(input: string): Buffer {
  const lone = input.search(/\p{Surrogate}/u);
  if (lone < 0) return Buffer.from(input);
  const before = Buffer.from(input.slice(0, lone));
  throw refusal("xml-encoding", before, before.length, "half of a surrogate pair stands alone", "Decode the document as UTF-8.");
}
