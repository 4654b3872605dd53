import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const HERE = resolve("test/simulation");
const SOURCES = resolve("src");

/** What stands in the place of the system, by what a source imports. */
const MODELS: Readonly<Record<string, string>> = {
  "node:fs": "models/file-system.ts",
  "node:fs/promises": "models/file-system.ts",
  "node:timers/promises": "models/timers.ts",
  "node:crypto": "models/crypto.ts",
};
const GIT = resolve("src/engine/checkout/git.ts");

/**
 * Bundles the simulation with the sources, in which files, git, time and chance are models; with a patch, with the sources as they
 * are after it. Gives the bundle's file, which stands where packages are found.
 */
export async function bundle(patch?: string): Promise<string> {
  const folder = resolve("dist/simulation");
  mkdirSync(folder, { recursive: true });
  const outfile = join(mkdtempSync(join(folder, "bundle-")), "main.mjs");
  const patched = patch === undefined ? new Map<string, string>() : applied(patch);
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
    plugins: [simulated(patched)],
  });
  return outfile;
}

export function removeBundle(file: string): void {
  rmSync(dirname(file), { recursive: true, force: true });
}

function simulated(patched: ReadonlyMap<string, string>): Plugin {
  return {
    name: "simulated",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path, importer }) => {
        const model = importer.startsWith(SOURCES) ? MODELS[path] : undefined;
        return model === undefined ? { path, external: true } : { path: join(HERE, model) };
      });
      onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path.replace(/\.js$/, ".ts"));
        return { path: file === GIT ? join(HERE, "models/git.ts") : file };
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = patched.get(path) ?? readFileSync(path, "utf8");
        return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
      });
    },
  };
}

/** The files that a patch touches, as they are after it. @throws where it does not apply. */
function applied(patch: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-taken-back-"));
  try {
    const files = [...readFileSync(patch, "utf8").matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = ""]) => file);
    for (const file of files) cpSync(file, join(folder, file));
    execFileSync("git", ["apply", resolve(patch)], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    return new Map(files.map((file) => [resolve(file), readFileSync(join(folder, file), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
