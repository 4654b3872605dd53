import { dirname } from "node:path";

/** Yields a folder and its ancestors, up to the root of the file system. */
export function* withAncestorFolders(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}
