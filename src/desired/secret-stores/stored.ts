import { join, resolve } from "node:path";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import type { SecretReference } from "../template.js";
import { readSops } from "./sops.js";
import { SecretUnavailable } from "./unavailable.js";
import { Vault } from "./vault.js";

const MOST_BYTES = 1_048_576;

/** A value from a secret store, or the reason why the store cannot supply one, to follow the reference and a colon. */
type Stored = { readonly value: string } | { readonly why: string };

/** Reads secrets from stores: credentials, SOPS and Vault. */
export class StoredSecrets {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #folder: string;
  readonly #vault: Vault;

  /** Relative SOPS files start at `folder`. */
  constructor(environment: Readonly<Record<string, string | undefined>>, folder: string) {
    this.#environment = environment;
    this.#folder = folder;
    this.#vault = new Vault(environment);
  }

  async read(reference: SecretReference): Promise<Stored> {
    try {
      return { value: await this.#read(reference) };
    } catch (cause) {
      if (cause instanceof SecretUnavailable) return { why: cause.message };
      throw cause;
    }
  }

  async #read({ kind, argument }: SecretReference): Promise<string> {
    if (kind === "credential") return await readCredential(argument, this.#environment.CREDENTIALS_DIRECTORY);
    const at = argument.lastIndexOf("#");
    const [place, key] = [argument.slice(0, Math.max(at, 0)), argument.slice(at + 1)];
    if (place === "" || key === "") throw new SecretUnavailable(`write ${kind === "vault" ? "secret/data/NAME#KEY" : "FILE#KEY"}`);
    if (kind === "sops") return await readSops(resolve(this.#folder, place), key.split("/"), this.#environment);
    return await this.#vault.read(place, key);
  }
}

/**
 * Reads a file from the folder in `CREDENTIALS_DIRECTORY`: a credential of a systemd service (`LoadCredential=`), or a secret that
 * Kubernetes mounts.
 *
 * @throws SecretUnavailable
 */
async function readCredential(name: string, folder: string | undefined): Promise<string> {
  if (folder === undefined || folder === "") throw new SecretUnavailable("CREDENTIALS_DIRECTORY is not set");
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$/.test(name)) throw new SecretUnavailable("it is not a credential name");
  try {
    return (await readRegularFile(join(folder, name), MOST_BYTES)).toString("utf8");
  } catch (cause) {
    const why = cause instanceof FileRefused ? cause.message : `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`;
    throw new SecretUnavailable(`the credential ${why}`);
  }
}
