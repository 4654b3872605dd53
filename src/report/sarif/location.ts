import { basename, isAbsolute } from "node:path";
import type { PlumblineError } from "../../core/errors.js";
import type { Location } from "../../desired/source-map.js";
import type { TargetOutcome } from "../../outcome/outcome.js";

/**
 * A place as code hosts want it: a relative URI from the root of the working tree, and lines from 1. GitHub refuses a
 * whole file where one result has no place, so what stands nowhere points at the configuration.
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

/** Files of errors may be absolute. The path of the folder in the working tree tells which part of it the host knows. */
export function placeOfError(outcome: TargetOutcome, { where }: PlumblineError): SarifPlace {
  const { file, line = 1, column } = where;
  if (file === undefined || file === "") return sarifPlace(outcome, undefined);
  if (!isAbsolute(file)) return { uri: uriOf(outcome, file), line, column };
  return basename(file) === CONFIGURATION ? { uri: uriOf(outcome, CONFIGURATION), line, column } : sarifPlace(outcome, undefined);
}

function uriOf({ folder }: TargetOutcome, file: string): string {
  return encoded(folder === undefined || folder === "" ? file : `${folder}/${file}`);
}

/** Steps are resolved here: hosts take no `..` and do not all resolve `./`. */
function encoded(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(encodeURIComponent(step));
  }
  return steps.join("/");
}
