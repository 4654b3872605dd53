import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));

/** What stands in the place of the system: by what a source imports. */
const MODELS = {
  "node:fs": "models/file-system.ts",
  "node:fs/promises": "models/file-system.ts",
  "node:timers/promises": "models/timers.ts",
  "node:crypto": "models/crypto.ts",
};
const GIT = "src/engine/checkout/git.ts";

/**
 * Bundles the simulation with the sources of a checkout, in which files, git, time and chance are models.
 *
 * @param {string} checkout where `src` is; the simulation itself is of this one.
 * @param {string} outfile in a folder from which packages are found.
 */
export async function bundle(checkout, outfile) {
  const source = join(resolve(checkout), "src");
  const models = {
    name: "models",
    setup(build) {
      build.onResolve({ filter: /^node:/ }, ({ path, importer }) => {
        const model = importer.startsWith(source) ? MODELS[path] : undefined;
        return model === undefined ? { path, external: true } : { path: join(HERE, model) };
      });
      build.onResolve({ filter: /\.js$/ }, ({ path, resolveDir, importer }) => {
        if (!path.startsWith(".")) return undefined;
        const file = resolve(resolveDir, path.replace(/\.js$/, ".ts"));
        const inSource = file.replace(/^.*?\/src\//, `${source}/`);
        if (importer.startsWith(HERE) && file.includes("/src/")) return { path: inSource.endsWith(GIT) ? join(HERE, "models/git.ts") : inSource };
        if (file === join(resolve(checkout), GIT)) return { path: join(HERE, "models/git.ts") };
        return undefined;
      });
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
        return { contents: text, loader: "ts" };
      });
    },
  };
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
    plugins: [models],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}
