import { spawn } from "node:child_process";
import { extname } from "node:path";
import { parse } from "yaml";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { SecretUnavailable, textAt } from "./unavailable.js";

type Environment = Readonly<Record<string, string | undefined>>;

const MOST_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
const TYPES: Readonly<Record<string, string>> = { ".yaml": "yaml", ".yml": "yaml", ".json": "json" };

/** What the program needs to find age keys. Nothing else of the environment is handed to it. */
const VARIABLES = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "TMPDIR",
  "SOPS_AGE_KEY",
  "SOPS_AGE_KEY_FILE",
  "SOPS_AGE_KEY_CMD",
  "SOPS_AGE_SSH_PRIVATE_KEY_FILE",
];

/**
 * The text at `keys` of a file that SOPS encrypted for age, decrypted by the program `sops` (3.9 or later). A file that names other keepers of
 * its key is refused before that runs: it would be asked at the address in the file, with what lets us in there.
 * @throws SecretUnavailable
 */
export async function readSops(file: string, keys: readonly string[], environment: Environment): Promise<string> {
  const type = TYPES[extname(file)];
  if (type === undefined) throw new SecretUnavailable("the file is neither .yaml nor .json");
  const encrypted = await readEncrypted(file);
  refuseOtherKeepers(encrypted.toString("utf8"));
  const decrypted = await decrypt(encrypted, type, environment);
  return textAt(parsed(decrypted, "what sops printed is no JSON"), keys, "the file");
}

async function readEncrypted(file: string): Promise<Buffer> {
  try {
    return await readRegularFile(file, MOST_BYTES);
  } catch (cause) {
    const why = cause instanceof FileRefused ? cause.message : `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`;
    throw new SecretUnavailable(`the file ${why}`);
  }
}

function refuseOtherKeepers(text: string): void {
  const held = parsed(text, "the file is no YAML");
  const about = (held as { readonly sops?: Readonly<Record<string, unknown>> } | null)?.sops;
  if (typeof about !== "object" || about === null) throw new SecretUnavailable("the file is not encrypted by SOPS");
  const groups = Array.isArray(about.key_groups) ? (about.key_groups as unknown[]) : [];
  const keepers = [about, ...groups].flatMap((each) => Object.entries((each ?? {}) as object));
  const other = keepers.find(([name, value]) => OTHER_KEEPERS.has(name) && Array.isArray(value) && value.length > 0)?.[0];
  if (other !== undefined) throw new SecretUnavailable(`the file names ${other} as keeper of its key, and only age is asked`);
}

const OTHER_KEEPERS: ReadonlySet<string> = new Set(["kms", "gcp_kms", "azure_kv", "hc_vault", "hckms", "pgp"]);

function parsed(text: string, otherwise: string): unknown {
  try {
    return parse(text, { logLevel: "silent", maxAliasCount: 0 });
  } catch {
    throw new SecretUnavailable(otherwise);
  }
}

function decrypt(encrypted: Buffer, type: string, environment: Environment): Promise<string> {
  const env = Object.fromEntries(VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
  // By its standard input: between two looks at a file somebody could put another in its place.
  const words = ["decrypt", "--input-type", type, "--output-type", "json"];
  return new Promise((resolve, reject) => {
    const child = spawn("sops", words, { env, stdio: ["pipe", "pipe", "ignore"], timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
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
