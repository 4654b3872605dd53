import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Keeps signatures of notices and of other files apart (`ssh-keygen -Y`, PROTOCOL.sshsig). */
const NAMESPACE = "plumbline-notice";
const TIMEOUT_MS = 30_000;

/**
 * Signs a notice with an SSH key. A public key file works if an SSH agent holds the private key.
 * @throws Error with the message of ssh-keygen
 */
export async function signText(key: string, text: string): Promise<string> {
  const { code, stdout, stderr } = await sshKeygen(["-Y", "sign", "-n", NAMESPACE, "-f", key], text);
  if (code !== 0) throw new Error(stderr.trim() || `ssh-keygen exited with ${code}`);
  return stdout;
}

/** A file of allowed signers, or its text. */
export type AllowedSigners = { readonly file: string } | { readonly text: string };

/** Returns the allowed signer who signed `text`, if the key is valid now; otherwise undefined. */
export async function signerOf(text: string, signature: string, allowed: AllowedSigners): Promise<string | undefined> {
  if ("text" in allowed) return await withFile(allowed.text, async (file) => await signerOf(text, signature, { file }));
  const allowedSigners = allowed.file;
  return await withFile(signature, async (file) => {
    const found = await sshKeygen(["-Y", "find-principals", "-s", file, "-f", allowedSigners]);
    const [signer] = found.stdout.split("\n");
    if (found.code !== 0 || signer === undefined || signer === "") return undefined;
    const verify = ["-Y", "verify", "-n", NAMESPACE, "-I", signer, "-s", file, "-f", allowedSigners];
    return (await sshKeygen(verify, text)).code === 0 ? signer : undefined;
  });
}

/**
 * Returns whether the key of an SSH signature belongs to an allowed signer at the current time. The default time of
 * `ssh-keygen -Y find-principals` is the present; git passes the date of the commit instead.
 */
export async function hasValidKey(signature: string, allowedSigners: string): Promise<boolean> {
  return await withFile(signature, async (file) => {
    return (await sshKeygen(["-Y", "find-principals", "-s", file, "-f", allowedSigners])).code === 0;
  });
}

async function withFile<T>(text: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-signature-"));
  try {
    const file = join(folder, "signature");
    await writeFile(file, text, { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Output {
  /** 127 if the program could not be started. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function sshKeygen(args: readonly string[], input = ""): Promise<Output> {
  return new Promise((resolve) => {
    const child = spawn("ssh-keygen", args, { timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => resolve({ code: 127, stdout: "", stderr: error.message }));
    child.on("close", (code) =>
      resolve({ code: code ?? 128, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") }),
    );
    child.stdin.end(input);
  });
}
