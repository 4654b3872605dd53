import { isAbsolute, relative, sep } from "node:path";

/**
 * Returns true if a commit may name the file: the file is in `folder` and not in a `.git` folder, which can contain the token of the code
 * host. Both paths are absolute and without links.
 */
export function isInsideFolder(folder: string, file: string): boolean {
  const path = relative(folder, file);
  const steps = path.split(sep);
  return steps[0] !== ".." && !isAbsolute(path) && !steps.some((step) => step.toLowerCase() === ".git");
}
