import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Texts by path, put here by `packaging/package.mjs` where the whole program is one file and has nothing beside it. */
declare const EMBEDDED_FILES: Readonly<Record<string, string>> | undefined;

let root: URL | undefined;

/**
 * Text of a file that comes with the program (its manifest, its schemas, the built page), by its path from the root of the
 * package. Built, packed or run from its sources the program lies at another depth: the root is the nearest folder with a manifest.
 * @throws Error of the file system (`ENOENT`) where the file is not part of the package
 */
export function packageFile(path: string): string {
  return embedded(path) ?? readFileSync(placeOf(path), "utf8");
}

/** The script that is the whole program, for processes of our own: the built one where it runs from its sources. */
export function programFile(): string {
  return fileURLToPath(embedded("package.json") === undefined ? placeOf("dist/cli.js") : import.meta.url);
}

function embedded(path: string): string | undefined {
  return typeof EMBEDDED_FILES === "undefined" ? undefined : EMBEDDED_FILES[path];
}

function placeOf(path: string): URL {
  root ??= rootAbove(new URL("./", import.meta.url));
  return new URL(path, root);
}

function rootAbove(folder: URL): URL {
  const above = new URL("../", folder);
  return existsSync(new URL("package.json", folder)) || above.href === folder.href ? folder : rootAbove(above);
}
