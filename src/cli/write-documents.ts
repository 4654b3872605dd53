import { dirname, join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { PlumblineError } from "../core/errors.js";
import { joinLines } from "../core/printable.js";
import { readDocumentText } from "../desired/files.js";
import type { PassOptions } from "../engine/pass/options.js";
import type { FileEdit } from "../outcome/access.js";
import type { EditProposed } from "../pull-request/access/propose-edit.js";
import type { Context } from "./context.js";

/** Writes all documents, or none if one of them changed since it was read. Returns a message. */
export async function writeDocuments(files: readonly FileEdit[], { source }: Pick<PassOptions, "source">): Promise<string> {
  const folder = dirname(source.configurationFile);
  const changed = files.find(({ file, before }) => readDocumentText(join(folder, file)) !== before);
  if (changed !== undefined)
    throw new PlumblineError("document-changed", `${changed.file} was changed in the meantime. No document was written.`, {
      where: { file: changed.file },
      next: "Run the command again.",
    });
  for (const { file, after } of files) await writeAtomically(join(folder, file), after);
  return `written  ${files.map(({ file }) => file).join(", ")}`;
}

/** Returns a message about a proposal. */
export function formatProposed({ done, branch, pullRequest }: EditProposed): string {
  const where =
    pullRequest === undefined ? "" : `  ${pullRequest.url}${pullRequest.state === "closed" ? " (closed: not proposed again)" : ""}`;
  return `${done === "known" ? "proposed before" : "proposed"} on branch ${branch}${where}`;
}

/** Prints a message next to a report. */
export function message(text: string, format: string, { stdout, stderr }: Context): void {
  (format === "text" ? stdout : stderr).write(joinLines([text]));
}
