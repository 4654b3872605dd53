import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two texts in constant time. */
export function equal(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

/** Returns the SHA-256 digest. */
export function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
