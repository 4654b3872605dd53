import { isAbsolute, resolve } from "node:path";
import { writeAtomically } from "../../../core/atomic-file.js";
import { PlumblineError } from "../../../core/errors.js";
import type { SecretValue } from "../../../core/secret.js";
import type { Path } from "../../../core/tree/path.js";
import type { WriteContext } from "./context.js";

const OWNER_ONLY = 0o600;

/** Resolves the path in `saveTo`: `~/` is the home folder, and other relative paths start in the working folder. */
function secretFile(saveTo: string, { dependencies: { home, workingFolder } }: WriteContext): string {
  if (saveTo.startsWith("~/")) return resolve(home, saveTo.slice(2));
  return isAbsolute(saveTo) ? saveTo : resolve(workingFolder, saveTo);
}

/** Writes a secret that the service returns only once to the file in the document. Only its owner may read the file. */
export async function saveSecret(secret: SecretValue, saveTo: string, path: Path, context: WriteContext): Promise<void> {
  const file = secretFile(saveTo, context);
  try {
    await writeAtomically(file, secret.reveal(), OWNER_ONLY);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new PlumblineError("secret-not-saved", `${secret.label} cannot be written to ${file} (${reason})`, {
      where: { file, target: context.client.target, xpath: path.toString() },
      next: "Make the folder writable, or correct saveTo.",
    });
  }
}
