import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { hashFile, normalHash } from "../core/file-hash.js";
import { throwIfStopped } from "../core/interrupted.js";

/** Hash to look up. Several files may have the same hash. */
export interface Subject {
  /** Lower case. */
  readonly hash: string;
  /** File name from the caller or the list. Empty for a hash without a file. */
  readonly name: string;
}

export interface Inputs {
  readonly hashes: readonly string[];
  /** Files with a hash at the beginning of each line. */
  readonly lists: readonly string[];
  /** Files to compute the SHA-256 of. */
  readonly paths: readonly string[];
}

/**
 * Returns the subjects of all inputs, in order. Paths are relative to `folder`. Throws all errors together: `hash-invalid`,
 * `hash-file-unreadable`. Throws `hashes-missing` if the inputs are empty, and `interrupted` after `stop`.
 */
export async function gather(
  inputs: Inputs,
  folder: string,
  stop: AbortSignal,
  progress: (file: string) => void = () => undefined,
): Promise<Subject[]> {
  const errors: PlumblineError[] = [];
  const subjects: Subject[] = [];
  const take = (found: readonly (Subject | PlumblineError)[]): void => {
    for (const each of found) each instanceof PlumblineError ? errors.push(each) : subjects.push(each);
  };
  take(inputs.hashes.map((text) => bare(text)));
  for (const file of inputs.lists) take(await readList(file, folder));
  for (const file of inputs.paths) {
    throwIfStopped(stop);
    progress(file);
    take([await hashed(file, folder, stop)]);
  }
  if (errors.length > 0) throw new PlumblineErrors(errors);
  if (subjects.length > 0) return subjects;
  throw new PlumblineError("hashes-missing", "There is no input for a verdict.", {
    next: "Name hashes, a list of them with --list FILE, or files with --path FILE...",
  });
}

function bare(text: string): Subject | PlumblineError {
  const hash = normalHash(text);
  return hash === undefined ? invalid(text) : { hash, name: "" };
}

/** Reads lines in the format of `sha256sum` and `md5sum`, or with only a hash. `#` starts a comment line. */
async function readList(file: string, folder: string): Promise<(Subject | PlumblineError)[]> {
  const text = await readFile(resolve(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => unreadable(file, error.code));
  if (text instanceof PlumblineError) return [text];
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [, word = "", name = ""] = /^\s*(\S+)(?:\s+\*?(.*?))?\s*$/.exec(line) ?? [];
    if (word === "" || word.startsWith("#")) return [];
    const hash = normalHash(word);
    return [hash === undefined ? invalid(word, { file, line: index + 1 }) : { hash, name }];
  });
}

async function hashed(file: string, folder: string, stop: AbortSignal): Promise<Subject | PlumblineError> {
  const path = resolve(folder, file);
  try {
    if (!(await stat(path)).isFile()) return unreadable(file, "it is not a file");
    return { hash: await hashFile(path, stop), name: file };
  } catch (error) {
    throwIfStopped(stop);
    return unreadable(file, (error as NodeJS.ErrnoException).code);
  }
}

function invalid(text: string, where: { readonly file?: string; readonly line?: number } = {}): PlumblineError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new PlumblineError("hash-invalid", `"${shown}" is neither an MD5 (32 hexadecimal digits) nor a SHA-256 (64).`, {
    where,
    next: "Correct it. To request a file, use --path.",
  });
}

/** `why` is an error code of the system or a message. */
export function unreadable(file: string, why: string | undefined): PlumblineError {
  return new PlumblineError("hash-file-unreadable", `${file} cannot be read (${why ?? "unknown reason"}).`, {
    where: { file },
    next: "Check the path and the permissions; folders are not searched.",
  });
}
