import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

const MD5 = /^[0-9a-f]{32}$/i;
const SHA256 = /^[0-9a-f]{64}$/i;

type HashKind = "md5" | "sha256";

/** MD5 has 32 hexadecimal digits, SHA-256 has 64; undefined for anything else. */
function hashKind(text: string): HashKind | undefined {
  return SHA256.test(text) ? "sha256" : MD5.test(text) ? "md5" : undefined;
}

/** A hash as it is compared, kept and sent: lower case. Undefined for what is no hash. */
export function normalHash(text: string): string | undefined {
  return hashKind(text) === undefined ? undefined : text.toLowerCase();
}

/** SHA-256 of a file in hexadecimal digits, read piece by piece. Rejects with the system's error, or when `stop` is aborted. */
export async function hashFile(file: string, stop: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash, { signal: stop });
  return hash.digest("hex");
}
