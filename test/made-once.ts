import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copies the result of `make` into a folder. `make` runs once for all test files of a worker. Copying a repository needs no process. */
export function madeOnce(make: (folder: string) => void): (folder: string) => void {
  let made: string | undefined;
  return (folder) => {
    if (made === undefined) {
      const first = mkdtempSync(join(tmpdir(), "made-once-"));
      process.once("exit", () => rmSync(first, { recursive: true, force: true }));
      make(first);
      made = first;
    }
    cpSync(made, folder, { recursive: true });
  };
}
