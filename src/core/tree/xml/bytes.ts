import { isUtf8 } from "node:buffer";
import { PlumblineError } from "../../errors.js";
import { DEFAULT_MAX_BYTES, type XmlLimits } from "./limits.js";
import { refusal } from "./malformed.js";

/** An odd number without a pattern. The upper bits of a product with it depend on all bits of the other factor. */
const FACTOR = 0x9e3779b1;
const FOUR_SPACES = 0x20202020;

/**
 * Returns the UTF-8 bytes of a document without its byte order mark. The scanner works on bytes, and only names and texts become strings,
 * so a configuration is never held a second time as one long string. Throws `xml-too-large`, and `xml-encoding` for bytes that are not
 * UTF-8.
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
  throw refusal("xml-encoding", before, before.length, "a surrogate is not paired", "Decode the document as UTF-8.");
}

/** Reads the bytes of a document four at a time. Used for names and texts that occurred before, end tags and indentation. */
export class Words {
  readonly #view: DataView;
  /** Cached, because the property of the view is a call. */
  readonly #length: number;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#length = bytes.length;
  }

  /** Returns true if the `length` bytes at `one` equal those at `other`. Throws a `RangeError` if either is outside the document. */
  same(one: number, other: number, length: number): boolean {
    const view = this.#view;
    const last = length - 4;
    if (last < 0) {
      for (let at = 0; at < length; at++) if (view.getUint8(one + at) !== view.getUint8(other + at)) return false;
      return true;
    }
    for (let at = 0; at < last; at += 4) if (view.getInt32(one + at) !== view.getInt32(other + at)) return false;
    return view.getInt32(one + last) === view.getInt32(other + last);
  }

  /** Returns a hash of the bytes `from` to `to`. Its upper bits are well mixed. */
  hash(from: number, to: number): number {
    const view = this.#view;
    const last = to - 4;
    let hash = to - from;
    if (last < from) {
      for (let at = from; at < to; at++) hash = Math.imul(hash ^ view.getUint8(at), FACTOR);
      return hash;
    }
    for (let at = from; at < last; at += 4) hash = Math.imul(hash ^ view.getInt32(at), FACTOR);
    return Math.imul(hash ^ view.getInt32(last), FACTOR);
  }

  /** Returns the offset behind the spaces that begin at `from`, except for the last three or fewer. */
  behindSpaces(from: number): number {
    const view = this.#view;
    const last = this.#length - 4;
    let at = from;
    while (at <= last && view.getInt32(at) === FOUR_SPACES) at += 4;
    return at;
  }
}
