import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { systemRefused } from "../core/system-refused.js";
import { errorLines } from "../report/error-lines.js";
import type { Paint } from "../report/style.js";
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
  const system = systemRefused(error);
  if (system !== undefined) return reportFailure(system, output, paint);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  output.write(`  ${paint("red", "bug")} This should not happen; please report it.\n${text}\n`);
  return 1;
}

function codeOf(error: PlumblineError): number {
  return error.severity === "refused" ? 3 : error.severity === "partial" ? 4 : 1;
}
