import { basename, isAbsolute } from "node:path";
import type { PlumblineError } from "../../core/errors.js";
import type { Location } from "../../desired/source-map.js";
import type { TargetOutcome } from "../../outcome/outcome.js";

/**
 * A place for code hosts: a relative URI from the root of the working tree, and 1-based lines. GitHub refuses the complete file if one
 * result has no place, so results without a place refer to the configuration.
 */
export interface SarifPlace {
  readonly uri: string;
  readonly line: number;
  readonly column: number | undefined;
}

const CONFIGURATION = "plumbline.yaml";

export function sarifPlace(outcome: TargetOutcome, at: Location | undefined): SarifPlace {
  if (at === undefined) return { uri: uriOf(outcome, CONFIGURATION), line: 1, column: undefined };
  return { uri: uriOf(outcome, at.file), line: at.line, column: at.column };
}

/** Errors can have absolute file names. The configuration is recognized by its name; other absolute names are unknown to the host. */
export function placeOfError(outcome: TargetOutcome, { where }: PlumblineError): SarifPlace {
  const { file, line = 1, column } = where;
  if (file === undefined || file === "") return sarifPlace(outcome, undefined);
  if (!isAbsolute(file)) return { uri: uriOf(outcome, file), line, column };
  return basename(file) === CONFIGURATION ? { uri: uriOf(outcome, CONFIGURATION), line, column } : sarifPlace(outcome, undefined);
}

function uriOf({ folder }: TargetOutcome, file: string): string {
  return encoded(folder === undefined || folder === "" ? file : `${folder}/${file}`);
}

/** Resolves `.` and `..` here: hosts accept no `..`, and some do not resolve `./`. */
function encoded(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(encodeURIComponent(step));
  }
  return steps.join("/");
}
