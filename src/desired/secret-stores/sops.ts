import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, isAbsolute, join, resolve } from "node:path";
import { parse } from "yaml";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { checkSopsMetadata } from "./sops-metadata.js";
import { SecretUnavailable, textAt } from "./unavailable.js";

type Environment = Readonly<Record<string, string | undefined>>;

const MOST_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
const TYPES: Readonly<Record<string, string>> = { ".yaml": "yaml", ".yml": "yaml", ".json": "json" };

/** Variables of age keys. With PATH, TMPDIR and an empty HOME they are the complete environment of sops. */
const VARIABLES = ["PATH", "TMPDIR", "SOPS_AGE_KEY", "SOPS_AGE_KEY_FILE", "SOPS_AGE_KEY_CMD", "SOPS_AGE_SSH_PRIVATE_KEY_FILE"];

/**
 * Returns the text at `keys` of a file that SOPS encrypted for age. The program `sops` (3.10 or later) decrypts it. A file with another
 * keeper of its key is refused first: sops would send the login of this machine to an address in the file.
 *
 * @throws SecretUnavailable
 */
export async function readSops(file: string, keys: readonly string[], environment: Environment): Promise<string> {
  const type = TYPES[extname(file)];
  if (type === undefined) throw new SecretUnavailable("the file is neither .yaml nor .json");
  const encrypted = await readEncrypted(file);
  checkSopsMetadata(parsed(encrypted.toString("utf8"), "the file is no YAML"));
  const home = await mkdtemp(join(tmpdir(), "plumbline-sops-"));
  try {
    const decrypted = await decrypt(encrypted, type, environmentOf(environment, home), home);
    return textAt(parsed(decrypted, "the output of sops is not JSON"), keys, "the file");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Returns the environment of sops. In an empty home folder it finds no Vault token and no cloud credentials. The age keys in the user's
 * home folder are passed explicitly instead.
 */
function environmentOf(environment: Environment, home: string): Record<string, string> {
  const given = VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  const env: Record<string, string> = { ...Object.fromEntries(given), HOME: home };
  for (const name of ["SOPS_AGE_KEY_FILE", "SOPS_AGE_SSH_PRIVATE_KEY_FILE"]) if (env[name] !== undefined) env[name] = resolve(env[name]);
  const { HOME: user = "", XDG_CONFIG_HOME: folder = join(user, ".config") } = environment;
  const keys = join(folder, "sops", "age", "keys.txt");
  if (given.every(([name]) => !name.startsWith("SOPS_")) && isAbsolute(keys) && existsSync(keys)) env.SOPS_AGE_KEY_FILE = keys;
  return env;
}

async function readEncrypted(file: string): Promise<Buffer> {
  try {
    return await readRegularFile(file, MOST_BYTES);
  } catch (cause) {
    const why = cause instanceof FileRefused ? cause.message : `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`;
    throw new SecretUnavailable(`the file ${why}`);
  }
}

function parsed(text: string, otherwise: string): unknown {
  try {
    return parse(text, { logLevel: "silent", maxAliasCount: 0 });
  } catch {
    throw new SecretUnavailable(otherwise);
  }
}

function decrypt(encrypted: Buffer, type: string, env: Record<string, string>, cwd: string): Promise<string> {
  // Uses standard input, because the file could be replaced after the check. Uses an empty folder, because sops reads .sops.yaml.
  const words = ["decrypt", "--input-type", type, "--output-type", "json"];
  return new Promise((resolve, reject) => {
    const child = spawn("sops", words, { env, cwd, stdio: ["pipe", "pipe", "ignore"], timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on("error", () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) =>
      reject(new SecretUnavailable(error.code === "ENOENT" ? "the program sops is not installed" : `sops did not start (${error.code})`)),
    );
    child.on("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(new SecretUnavailable(signal === null ? `sops failed (exit ${code})` : `sops did not end within ${TIMEOUT_MS / 1000} s`));
    });
    child.stdin.end(encrypted);
  });
}
