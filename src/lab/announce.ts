import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Writes `ca.pem` and, next to it, the ready file: the services and their URLs as JSON. The ready file is written last and atomically, so
 * that a waiting process never reads a partial file.
 */
export async function announce(readyFile: string, caPem: string, services: Readonly<Record<string, unknown>>): Promise<void> {
  const ca = join(dirname(readyFile), "ca.pem");
  await mkdir(dirname(readyFile), { recursive: true });
  await writeFile(ca, caPem);
  const partial = `${readyFile}.partial`;
  await writeFile(partial, `${JSON.stringify({ ...services, ca }, undefined, 2)}\n`);
  await rename(partial, readyFile);
}
