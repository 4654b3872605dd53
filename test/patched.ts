import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Bundles sources as they are after a patch, each with the place that it has here. */
export function patched(patch?: string): Plugin {
  const changed = patch === undefined ? new Map<string, string>() : applied(patch);
  return {
    name: "patched",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = changed.get(path) ?? readFileSync(path, "utf8");
        return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
      });
    },
  };
}

/** The files that a patch touches, as they are after it. @throws where it does not apply. */
function applied(patch: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-patched-"));
  try {
    const files = [...readFileSync(patch, "utf8").matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = ""]) => file);
    for (const file of files) cpSync(file, join(folder, file));
    execFileSync("git", ["apply", resolve(patch)], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    return new Map(files.map((file) => [resolve(file), readFileSync(join(folder, file), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
