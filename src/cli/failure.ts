import { realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { isInsideFolder } from "../core/inside-folder.js";
import { joinLines } from "../core/printable.js";
import { readRegularFile } from "../core/regular-file.js";
import { systemError } from "../core/system-error.js";
import { errorLines } from "../report/error-lines.js";
import { excerptOf } from "../report/excerpt.js";
import type { Paint } from "../report/style.js";
import type { Output } from "./context.js";

/** Maximum size of a file for an excerpt, in bytes. */
const LARGEST = 16 * 1024 * 1024;

/**
 * Prints the error that stopped a command and returns its exit code. Unexpected errors are bugs and are printed with their stack.
 * @param configuration Path of plumbline.yaml, if known. Errors of the desired state are printed with their line.
 */
export async function reportFailure(error: unknown, output: Output, paint: Paint, configuration?: string): Promise<number> {
  if (error instanceof PlumblineErrors) {
    await printFaults(error.errors, output, paint, configuration);
    return Math.max(...error.errors.map(codeOf));
  }
  if (error instanceof PlumblineError) {
    output.write(joinLines(errorLines(error, paint)));
    return codeOf(error);
  }
  const system = systemError(error);
  if (system !== undefined) return await reportFailure(system, output, paint);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  output.write(`  ${paint("red", "bug")} This should not happen; please report it.\n${text}\n`);
  return 1;
}

/** Prints errors of the desired state, each with its line. */
export async function printFaults(
  errors: readonly PlumblineError[],
  output: Output,
  paint: Paint,
  configuration: string | undefined,
  word?: string,
): Promise<void> {
  const files = new Map<string, Promise<readonly string[]>>();
  const read = (file: string): Promise<readonly string[]> => {
    const path = resolve(dirname(configuration ?? ""), file);
    const lines = files.get(path) ?? linesOf(path, configuration ?? "");
    files.set(path, lines);
    return lines;
  };
  for (const error of errors) {
    const { file } = error.where;
    const excerpt = file === undefined || configuration === undefined ? [] : excerptOf(error, await read(file), paint);
    output.write(joinLines(errorLines(error, paint, word, excerpt)));
  }
}

/** Returns the lines of a file of the desired state; none if it cannot be read or is another file, such as clouds.yaml. */
async function linesOf(path: string, configuration: string): Promise<readonly string[]> {
  try {
    const [folder, real] = await Promise.all([realpath(dirname(configuration)), realpath(path)]);
    if (!isInsideFolder(folder, real)) return [];
    return (await readRegularFile(real, LARGEST)).toString("utf8").split("\n");
  } catch {
    return [];
  }
}

function codeOf(error: PlumblineError): number {
  return error.severity === "refused" ? 3 : error.severity === "partial" ? 4 : 1;
}
