import { PlumblineError, PlumblineErrors } from "../errors.js";
import type { Paint } from "../report/style.js";
import { errorLines } from "../report/text.js";
import type { Output } from "./context.js";

/** Prints what stopped a command and gives its exit code. Errors that are not ours are bugs: their stack helps. */
export function reportFailure(error: unknown, output: Output, paint: Paint): number {
  if (error instanceof PlumblineErrors) {
    for (const one of error.errors) output.write(`${errorLines(one, paint).join("\n")}\n`);
    return Math.max(...error.errors.map(codeOf));
  }
  if (error instanceof PlumblineError) {
    output.write(`${errorLines(error, paint).join("\n")}\n`);
    return codeOf(error);
  }
  if (isSystemError(error)) return reportFailure(systemRefused(error), output, paint);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  output.write(`  ${paint("red", "bug")} This should not happen; please report it.\n${text}\n`);
  return 1;
}

/** A refusal of the operating system: a full disk, a folder that may not be written. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && typeof (error as NodeJS.ErrnoException).code === "string";
}

function systemRefused({ code, syscall, path, message }: NodeJS.ErrnoException): PlumblineError {
  const words = message.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+( '.*')?$/, "");
  return new PlumblineError("system-refused", `The operating system refuses: ${words} (${syscall} ${code})`, {
    where: { file: path },
    next: "Look at the permissions and the free space of this place; --state names another folder for what is remembered.",
  });
}

function codeOf(error: PlumblineError): number {
  return error.severity === "refused" ? 3 : error.severity === "partial" ? 4 : 1;
}
