// Bundles the page into dist/web/assets: a script, a style sheet, and a document that refers to both by their content hashes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../dist/web/assets");

const { outputFiles } = await build({
  entryPoints: [join(here, "app.tsx"), join(here, "app.css")],
  bundle: true,
  minify: true,
  write: false,
  outdir: out,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  tsconfig: join(here, "tsconfig.json"),
  legalComments: "none",
  logLevel: "warning",
});

const named = (name) => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? "";
const script = named("app.js");
const style = named("app.css");
const icon = readFileSync(join(here, "icon.svg"), "utf8");
const version = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);
const page = readFileSync(join(here, "index.html"), "utf8")
  .replace("app.js", `app.js?${version(script)}`)
  .replace("app.css", `app.css?${version(style)}`)
  .replace("icon.svg", `icon.svg?${version(icon)}`);

mkdirSync(out, { recursive: true });
for (const [name, text] of [
  ["app.js", script],
  ["app.css", style],
  ["icon.svg", icon],
  ["index.html", page],
]) {
  writeFileSync(join(out, name), text);
}
const kilobytes = (text) => `${(gzipSync(text).length / 1024).toFixed(1)} KB`;
if (process.env.npm_config_loglevel !== "silent") console.log(`page: script ${kilobytes(script)}, style ${kilobytes(style)} (gzip)`);
