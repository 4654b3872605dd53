import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Texts by path. Defined by `packaging/package.mjs` if the program is packed into a single file. */
declare const EMBEDDED_FILES: Readonly<Record<string, string>> | undefined;

let root: URL | undefined;

/**
 * Returns the text of a file of the package (its manifest, its schemas, the built page), by its path from the package root. The root is the
 * nearest folder with a manifest, because built, packed and source files are at different depths.
 * @throws Error of the file system (`ENOENT`) if the file is not part of the package
 */
export function packageFile(path: string): string {
  return embedded(path) ?? readFileSync(placeOf(path), "utf8");
}

/** Returns the place of a file of the package. Undefined if the package does not have it. */
export function packageFileUrl(path: string): URL | undefined {
  const place = embedded("package.json") === undefined ? placeOf(path) : undefined;
  return place !== undefined && existsSync(place) ? place : undefined;
}

/** Returns the script of the program, to start our own processes: the built script if the program runs from its sources. */
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
