import { dirname, join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { PlumblineError } from "../core/errors.js";
import { joinLines } from "../core/printable.js";
import { readDocumentText } from "../desired/files.js";
import type { PassOptions } from "../engine/pass/options.js";
import type { FileEdit } from "../outcome/access.js";
import type { EditProposed } from "../pull-request/access/propose-edit.js";
import type { Context } from "./context.js";

/**
 * Writes all documents, or none if one of them changed since it was read. If a write fails, the documents before it get their former content
 * back. Returns a message.
 */
export async function writeDocuments(files: readonly FileEdit[], { source }: Pick<PassOptions, "source">): Promise<string> {
  const folder = dirname(source.configurationFile);
  const changed = files.find(({ file, before }) => readDocumentText(join(folder, file)) !== before);
  if (changed !== undefined)
    throw new PlumblineError("document-changed", `${changed.file} was changed in the meantime. No document was written.`, {
      where: { file: changed.file },
      next: "Run the command again.",
    });
  for (const [at, { file, after }] of files.entries()) {
    try {
      await writeAtomically(join(folder, file), after);
    } catch (error) {
      throw notWritten(file, error, await restore(files.slice(0, at), folder));
    }
  }
  return `written  ${files.map(({ file }) => file).join(", ")}`;
}

/** Writes the former content of documents. Returns the documents that keep the edit. */
async function restore(files: readonly FileEdit[], folder: string): Promise<string[]> {
  const kept: string[] = [];
  for (const { file, before, after } of files) {
    const path = join(folder, file);
    try {
      // Another person may have edited the document in the meantime.
      if (readDocumentText(path) === after) await writeAtomically(path, before);
      else kept.push(file);
    } catch {
      kept.push(file);
    }
  }
  return kept;
}

function notWritten(file: string, cause: unknown, kept: readonly string[]): PlumblineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const rest = kept.length === 0 ? "All documents have their former content." : `Not restored: ${kept.join(", ")}.`;
  return new PlumblineError("document-not-written", `${file} cannot be written: ${why}. ${rest}`, {
    where: { file },
    next: kept.length === 0 ? "Correct the cause and run the command again." : "Compare these documents with the last commit.",
    cause,
  });
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
