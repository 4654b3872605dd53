import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

const MD5 = /^[0-9a-f]{32}$/i;
const SHA256 = /^[0-9a-f]{64}$/i;

type HashKind = "md5" | "sha256";

/** Returns the kind of a hash: MD5 has 32 hexadecimal digits, SHA-256 has 64. Undefined for other texts. */
function hashKind(text: string): HashKind | undefined {
  return SHA256.test(text) ? "sha256" : MD5.test(text) ? "md5" : undefined;
}

/** Returns a hash in lower case, the form that is compared, stored and sent. Undefined for other texts. */
export function normalHash(text: string): string | undefined {
  return hashKind(text) === undefined ? undefined : text.toLowerCase();
}

/**
 * Returns the SHA-256 of a file in hexadecimal digits. Reads the file in chunks. Rejects with the system's error, or if `stop` is aborted.
 */
export async function hashFile(file: string, stop: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash, { signal: stop });
  return hash.digest("hex");
}
