import { readFileSync, realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { parse } from "yaml";
import { PlumblineError } from "../core/errors.js";
import { compileGlob, GlobError } from "../core/glob.js";
import { checkoutRoot, isBelow } from "./commands.js";
import type { SecretReference } from "./secrets.js";

/** Whether what a reference stands for may be read. */
export type ReferencePolicy = (reference: SecretReference) => boolean;

/**
 * What the `references:` of the file that `PLUMBLINE_APPROVED` names allow; undefined where the variable is not set or that file
 * has no such list. `folder` is that of the `plumbline.yaml` in use, which nobody may have approved.
 * @throws PlumblineError `approved-unreadable` for a file that is not there, says something else, or lies in the checkout
 */
export function approvedReferences(setting: string | undefined, folder: string): ReferencePolicy | undefined {
  const file = setting?.trim() ?? "";
  if (file === "") return undefined;
  const patterns = readPatterns(file, folder);
  if (patterns === undefined) return undefined;
  const root = checkoutRoot(folder);
  return (reference) => {
    const { kind, argument } = reference;
    if (kind !== "file") return patterns.some((matches) => matches(`${kind}:${argument}`));
    const path = resolve(folder, argument);
    // In the checkout a commit could have put a link to anywhere.
    if (isBelow(root, path) && !isBelow(root, realOf(path))) return false;
    return patterns.some((matches) => matches(`file:${path}`) || (isBelow(root, path) && matches(`file:${argument}`)));
  };
}

function readPatterns(file: string, folder: string): ((text: string) => boolean)[] | undefined {
  if (!isAbsolute(file)) throw unreadable(file, "is not named by an absolute path");
  let text: string;
  try {
    const real = realpathSync(file);
    if (isBelow(checkoutRoot(folder), real)) throw unreadable(file, "lies in the checkout, where a commit can change it");
    text = readFileSync(real, "utf8");
  } catch (cause) {
    if (cause instanceof PlumblineError) throw cause;
    throw unreadable(file, `cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
  return patternsOf(text, file);
}

function patternsOf(text: string, file: string): ((text: string) => boolean)[] | undefined {
  try {
    const value: unknown = parse(text, { logLevel: "silent", maxAliasCount: 0 });
    const list = typeof value === "object" && value !== null && "references" in value ? value.references : undefined;
    if (list === undefined) return undefined;
    if (!Array.isArray(list) || !list.every((each) => typeof each === "string")) throw new GlobError("references: is no list of patterns");
    return list.map((each) => compileGlob(each));
  } catch (cause) {
    throw unreadable(file, cause instanceof GlobError ? `is not understood: ${cause.message}` : "is no YAML");
  }
}

/** What is not there is where it is said to be. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unreadable(file: string, why: string): PlumblineError {
  return new PlumblineError("approved-unreadable", `The approved configuration ${why}.`, {
    where: { file },
    next: "Let PLUMBLINE_APPROVED name a plumbline.yaml outside the checkout by its absolute path, or take the variable away.",
  });
}
