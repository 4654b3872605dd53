// `npm run package` builds the release from dist: the folder and tarball of the npm package (one script, and a lock file for its native
// packages), the program as one file without SQLite, the bill of materials, and SHA-256 checksums of all files.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readmeOf } from "./readme.mjs";
import { billOfMaterials } from "./sbom.mjs";

/** Packages with native code. They are installed next to the script; everything else is in the bundle. */
const NATIVE = ["libsql"];
/** Files of the package that the program reads. Editor schemas are generated on request. */
const TABLES = readdirSync("schemas").filter((file) => !file.endsWith(".schema.json") || file === "report.schema.json");
const FILES = ["package.json", ...TABLES.map((file) => `schemas/${file}`)];
const PAGE = readdirSync("dist/web/assets").map((file) => `dist/web/assets/${file}`);

const shared = {
  entryPoints: ["dist/cli.js"],
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // `pg` loads pg-native only if it is installed.
  external: [...NATIVE, "pg-native"],
  // graphile-worker uses cosmiconfig to run settings files from the working folder, which is an untrusted checkout.
  alias: { cosmiconfig: "./packaging/no-settings.mjs" },
};

/**

 * Writes all files of `release`.

 * @returns the size of the tarball in bytes

 */
export async function makeRelease(release) {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  rmSync(release, { recursive: true, force: true });
  const folder = join(release, "package");
  mkdirSync(folder, { recursive: true });

  const metafile = await writeScript(join(folder, "dist/cli.js"));
  chmodSync(join(folder, "dist/cli.js"), 0o755);
  // The changelog is in the release notes.
  for (const file of [...PAGE, ...FILES.slice(1), "LICENSE"]) cpSync(file, join(folder, file));
  writeFileSync(join(folder, "README.md"), readmeOf(readFileSync("README.md", "utf8"), manifest.version));
  const shrinkwrap = lockOf(manifest, lock);
  writeFileSync(join(folder, "package.json"), text(manifestOf(manifest)));
  writeFileSync(join(folder, "npm-shrinkwrap.json"), text(shrinkwrap));
  const bundled = packagesIn(metafile);
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licenses(bundled));

  await writeSingleFile(join(release, "plumbline.mjs"));
  writeFileSync(
    join(release, "sbom.cdx.json"),
    text(billOfMaterials(manifest, lock, new Set([...bundled, ...Object.keys(shrinkwrap.packages)]))),
  );
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(release)], quietly(folder)),
  );
  const files = [packed.filename, "plumbline.mjs", "sbom.cdx.json"];
  writeFileSync(join(release, "SHA256SUMS"), files.map((file) => `${sha256(join(release, file))}  ${file}\n`).join(""));
  return packed.size;
}

/**

 * Bundles the program into one script.

 * @returns esbuild's list of the sources in it

 */
async function writeScript(file) {
  const { metafile } = await build({
    ...shared,
    outfile: file,
    // `require` creates Node's own modules when they are used; `import` would create all of them at the start.
    format: "cjs",
    charset: "ascii",
    define: { "import.meta.url": "importMetaUrl" },
    banner: { js: `const importMetaUrl=require("node:url").pathToFileURL(__filename).href;` },
  });
  return metafile;
}

/** Bundles the program and the files that it reads into one script. It has no SQLite, the store of a single agent. */
async function writeSingleFile(file) {
  const embedded = Object.fromEntries([...FILES, ...PAGE].map((path) => [path, readFileSync(path, "utf8")]));
  await build({
    ...shared,
    outfile: file,
    format: "esm",
    charset: "utf8",
    define: { EMBEDDED_FILES: JSON.stringify(embedded) },
    // CommonJS packages call `require` for Node's own modules.
    banner: { js: `import{createRequire as createRequireHere}from"node:module";const require=createRequireHere(import.meta.url);` },
  });
  chmodSync(file, 0o755);
}

/**

 * Manifest of the package. Its script is CommonJS.

 * @param environment of the workflow that releases it

 */
export function manifestOf({ name, version, description, license, engines, bin, dependencies }, environment = process.env) {
  const native = Object.fromEntries(NATIVE.map((each) => [each, dependencies[each]]));
  // npm compares the repository with the provenance of the package.
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = environment;
  const repository =
    GITHUB_REPOSITORY === undefined ? undefined : { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` };
  return { name, version, description, license, repository, engines, bin, dependencies: native };
}

/** Lock of the native packages and their dependencies, with the versions of our own lock file. */
function lockOf(manifest, { lockfileVersion, packages }) {
  const { name, version, dependencies, ...rest } = manifestOf(manifest);
  const kept = { "": { name, version, dependencies, ...rest } };
  const keep = (id, from) => {
    const place = placesAbove(from, id).find((each) => each in packages);
    if (place === undefined || place in kept) return;
    const { dev, devOptional, ...locked } = packages[place];
    kept[place] = locked;
    for (const next of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies, ...locked.peerDependencies }))
      keep(next, place);
  };
  for (const id of NATIVE) keep(id, "");
  return { name, version, lockfileVersion, requires: true, packages: kept };
}

/** Folders in which Node searches for a package, nearest first. */
function placesAbove(from, id) {
  const parts = from === "" ? [] : from.split("/node_modules/");
  return parts
    .map((_, index) => `${parts.slice(0, parts.length - index).join("/node_modules/")}/node_modules/${id}`)
    .concat(`node_modules/${id}`);
}

/** Folders of the packages that have code in the bundle. Modules that esbuild dropped count 0 bytes. */
function packagesIn({ outputs }) {
  const sources = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = sources
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** Licence texts of the packages in the bundle. */
function licenses(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const licence = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      return `${name} ${version} (${license})\n${licence}`;
    })
    .join(`\n${"-".repeat(100)}\n\n`);
}

const text = (value) => `${JSON.stringify(value, undefined, 1)}\n`;
const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
const quietly = (cwd) => ({ cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
  if (!existsSync("dist/cli.js")) throw new Error("run `npm run build` first");
  const bytes = await makeRelease(process.argv[2] ?? "release");
  console.log(`release: the package has ${(bytes / 1e6).toFixed(2)} MB`);
}
