import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clone } from "./clone.js";

const TIMEOUT_MS = 30_000;

/**
 * Returns whether the key of an SSH signature belongs to an allowed signer at the current time. Reads `valid-after` and
 * `valid-before` of the allowed signers file by `ssh-keygen -Y find-principals`, whose default time is the present.
 * @param allowedSigners The file; undefined for the one of git's configuration (`gpg.ssh.allowedSignersFile`).
 */
export async function hasValidSshKey(clone: Clone, signature: string, allowedSigners: string | undefined): Promise<boolean> {
  const file = allowedSigners ?? (await setting(clone, "gpg.ssh.allowedSignersFile"));
  if (file === "") return false;
  const program = (await setting(clone, "gpg.ssh.program")) || "ssh-keygen";
  const folder = await mkdtemp(join(clone.stateFolder, "signature-"));
  try {
    const signatureFile = join(folder, "signature");
    await writeFile(signatureFile, signature, { mode: 0o600 });
    return await succeeds(program, ["-Y", "find-principals", "-s", signatureFile, "-f", file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function setting(clone: Clone, name: string): Promise<string> {
  return (await clone.run(["config", "--path", "--get", name])).stdout.trim();
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
