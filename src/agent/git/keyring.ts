import { randomBytes } from "node:crypto";
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";

const PRIVATE = new Set(["private-keys-v1.d", "openpgp-revocs.d", "random_seed"]);

/**
 * Runs `work` with a copy of a GnuPG home folder. gpg writes to its home folder even when it only verifies, and the agent may have no write
 * access there. Secret keys are not copied.
 */
export async function withCopyOf<T>(keyring: string, stateFolder: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copies = join(stateFolder, "agent", "keyring");
  const copy = join(copies, randomBytes(4).toString("hex"));
  await mkdir(copies, { recursive: true, mode: 0o700 });
  try {
    await mkdir(copy, { mode: 0o700 });
    await cp(keyring, copy, { recursive: true, filter: (source) => !isLeftOut(basename(source)) });
    return await work(copy);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Sockets and locks belong to running programs. */
function isLeftOut(name: string): boolean {
  return PRIVATE.has(name) || name.startsWith("S.") || name.startsWith(".#lk") || name.endsWith(".lock");
}
