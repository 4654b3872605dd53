import { join } from "node:path";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { SecretUnavailable } from "./unavailable.js";

const MOST_BYTES = 1_048_576;

/**
 * Reads a file from the folder in `CREDENTIALS_DIRECTORY`: a credential of a systemd service (`LoadCredential=`), or a secret that
 * Kubernetes mounts.
 *
 * @throws SecretUnavailable
 */
export async function readCredential(name: string, folder: string | undefined): Promise<string> {
  if (folder === undefined || folder === "") throw new SecretUnavailable("CREDENTIALS_DIRECTORY is not set");
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$/.test(name)) throw new SecretUnavailable("it is not a credential name");
  try {
    return (await readRegularFile(join(folder, name), MOST_BYTES)).toString("utf8");
  } catch (cause) {
    const why = cause instanceof FileRefused ? cause.message : `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`;
    throw new SecretUnavailable(`the credential ${why}`);
  }
}
