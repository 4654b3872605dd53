import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Writes `ca.pem` and, beside it, the ready file: what the lab serves and where, as JSON. The ready file comes last and
 * whole, so that who waits for it never reads half of it.
 */
export async function announce(readyFile: string, caPem: string, services: Readonly<Record<string, unknown>>): Promise<void> {
  const ca = join(dirname(readyFile), "ca.pem");
  await mkdir(dirname(readyFile), { recursive: true });
  await writeFile(ca, caPem);
  const partial = `${readyFile}.partial`;
  await writeFile(partial, `${JSON.stringify({ ...services, ca }, undefined, 2)}\n`);
  await rename(partial, readyFile);
}
