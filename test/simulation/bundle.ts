import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { changedSources, type Replacement } from "../changed-sources.js";

const HERE = resolve("test/simulation");
const SOURCES = resolve("src");

/** Models that replace modules of Node, by the name that a source imports. */
const MODELS: Readonly<Record<string, string>> = {
  "node:fs": "models/file-system.ts",
  "node:fs/promises": "models/file-system.ts",
  "node:timers/promises": "models/timers.ts",
  "node:crypto": "models/crypto.ts",
};
const GIT = resolve("src/engine/checkout/git.ts");

/**
 * Bundles the simulation with the sources. Models replace files, git, time and randomness. Returns the file of the bundle, in a folder
 * where Node finds the packages.
 * @param replacements changes of the sources
 */
export async function bundle(replacements?: readonly Replacement[]): Promise<string> {
  const folder = resolve("dist/simulation");
  mkdirSync(folder, { recursive: true });
  const outfile = join(mkdtempSync(join(folder, "bundle-")), "main.mjs");
  await build({
    entryPoints: [join(HERE, "main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "error",
    plugins: [simulated, changedSources(replacements)],
  });
  return outfile;
}

export function removeBundle(file: string): void {
  rmSync(dirname(file), { recursive: true, force: true });
}

const simulated: Plugin = {
  name: "simulated",
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      const model = importer.startsWith(SOURCES) ? MODELS[path] : undefined;
      return model === undefined ? { path, external: true } : { path: join(HERE, model) };
    });
    onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path.replace(/\.js$/, ".ts"));
      return { path: file === GIT ? join(HERE, "models/git.ts") : file };
    });
  },
};
