// `npm run package` builds the release from dist: the folder and tarball of the npm package (one script, and a lock file for the packages
// outside the bundle), the complete program as one file, the bill of materials, and SHA-256 checksums of all files.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readmeOf } from "./readme.mjs";
import { billOfMaterials } from "./sbom.mjs";

/**
 * Installed beside the program, not bundled: one has a part in machine code, the others serve single commands and would double the
 * download of everybody.
 */
const OUTSIDE = [
  "kysely",
  "libsql",
  "@peculiar/x509",
  "reflect-metadata",
  "nodemailer",
  "openid-client",
  "pg",
  "prom-client",
  "ajv",
  "chokidar",
  "croner",
  "@xmldom/xmldom",
  "vscode-languageserver",
  "xpath",
];
/** Schemas for editors are made where they are asked for, of the tables that are here anyway. */
const TABLES = readdirSync("schemas").filter((file) => !file.endsWith(".schema.json") || file === "report.schema.json");
const FILES = ["package.json", ...TABLES.map((file) => `schemas/${file}`)];
const PAGE = readdirSync("dist/web/assets").map((file) => `dist/web/assets/${file}`);

/** graphile-worker looks for files of settings, with a compiler of TypeScript in its train; the agent hands it all it needs. */
const withoutSettingsFiles = {
  name: "without-settings-files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cosmiconfig$/ }, ({ path }) => ({ path, namespace: "nothing" }));
    onLoad({ filter: /.*/, namespace: "nothing" }, () => ({
      contents: "export const cosmiconfigSync = () => ({ search: () => null });",
    }));
    // It reads what comes behind a line of a timetable; jobs here have none.
    onResolve({ filter: /^json5$/ }, ({ path }) => ({ path, namespace: "plain-json" }));
    onLoad({ filter: /.*/, namespace: "plain-json" }, () => ({ contents: "export const parse = JSON.parse;" }));
    // The job queue names three helpers of a module of dozens, which it asks for as a whole.
    onResolve({ filter: /^tslib$/ }, ({ resolveDir }) => {
      return resolveDir.includes("graphile") ? { path: "tslib", namespace: "helpers", pluginData: resolveDir } : undefined;
    });
    onLoad({ filter: /.*/, namespace: "helpers" }, ({ pluginData }) => ({
      contents: `export { __exportStar, __importDefault, __importStar } from "tslib/tslib.es6.mjs";`,
      resolveDir: pluginData,
    }));
    // What undici brings beside requests, and nobody here asks it for: only its index, and each other, name these.
    const unasked = [
      /(?:mock|interceptor|cache|web\/(?:cache|cookies|eventsource|websocket))\//,
      /(?:web\/fetch\/(?:index|request|response|headers|formdata-parser|data-url)|core\/socks5-(?:client|utils)|handler\/(?:retry|redirect)-handler)\.js$/,
      /dispatcher\/(?:client-h2|(?:socks5-proxy|proxy|env-http-proxy|retry)-agent|(?:balanced|round-robin)-pool)\.js$/,
    ];
    // Lines of the log go to a stream of ours, whole: to no file, thread or filter of the logger's own.
    onLoad({ filter: /node_modules\/(?:sonic-boom|thread-stream|@pinojs\/redact)\// }, () => ({ contents: "module.exports = class {};" }));
    // No field of a line holds itself; where one did, the logger says that it cannot be written.
    onLoad({ filter: /node_modules\/safe-stable-stringify\/index\.js$/ }, () => ({
      contents: "exports.configure = () => JSON.stringify;",
    }));
    // Its index makes one of these when it is loaded.
    const contents = "module.exports = { CacheStorage: class {} };";
    for (const { source } of unasked) onLoad({ filter: new RegExp(`undici\\/lib\\/${source}`) }, () => ({ contents }));
    // Forms are for files that are sent somewhere; what they bring of Node (web streams, workers) is loaded with the first of them.
    onLoad({ filter: /undici\/index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /^module\.exports\.FormData = (require\(.*)$/m,
        (_, loaded) => `Object.defineProperty(module.exports, "FormData", { enumerable: true, get: () => ${loaded} });`,
      ),
    }));
    // Every processor that Node 20 runs on has SIMD; the second parser of HTTP is for those without.
    onResolve({ filter: /llhttp-wasm\.js$/ }, ({ resolveDir }) => ({ path: join(resolveDir, "../llhttp/llhttp_simd-wasm.js") }));
    // The server and client of Node's own, for the type of a body that nobody here sends and a bound that is this unless Node is told another.
    onResolve({ filter: /^node:http$/ }, ({ path, importer }) => {
      return importer.includes("/undici/") ? { path, namespace: "bound-of-headers" } : undefined;
    });
    onLoad({ filter: /.*/, namespace: "bound-of-headers" }, () => ({
      contents: "module.exports = { IncomingMessage: class {}, maxHeaderSize: 16_384 };",
    }));
  },
};

/** What is in machine code is asked for when it is needed: an import of a whole program would ask for it at its start. */
const libsqlIfThere = {
  name: "libsql-if-there",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^libsql$/ }, ({ path }) => ({ path, namespace: "machine-code" }));
    onLoad({ filter: /.*/, namespace: "machine-code" }, ({ path }) => ({
      contents: `export default createRequireHere(import.meta.url)("${path}");`,
    }));
  },
};

const shared = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  plugins: [withoutSettingsFiles],
};

/** Makes all of `release`. @returns the bytes of the packed package */
export async function makeRelease(release) {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  rmSync(release, { recursive: true, force: true });
  const folder = join(release, "package");
  mkdirSync(folder, { recursive: true });

  const metafile = await writeScript(join(folder, "dist/cli.js"));
  chmodSync(join(folder, "dist/cli.js"), 0o755);
  // The changelog is in the release notes.
  for (const file of [...PAGE, "LICENSE"]) cpSync(file, join(folder, file));
  writeFileSync(join(folder, "README.md"), readmeOf(readFileSync("README.md", "utf8"), manifest.version));
  mkdirSync(join(folder, "schemas"));
  for (const file of FILES.slice(1)) {
    const { about, ...table } = JSON.parse(readFileSync(file, "utf8"));
    // How a shape is written is for those who do that, here; whose facts values are goes with them.
    writeFileSync(join(folder, file), JSON.stringify(file.endsWith(".shape.json") ? table : { about, ...table }));
  }
  writeFileSync(join(folder, "package.json"), text(manifestOf(manifest)));
  writeFileSync(join(folder, "npm-shrinkwrap.json"), text(lockOf(manifest, lock)));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licenses(packagesIn(metafile)));

  await writeSingleFile(join(release, "plumbline.mjs"));
  writeFileSync(join(release, "sbom.cdx.json"), text(billOfMaterials(manifest, lock)));
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(release)], quietly(folder)),
  );
  const files = [packed.filename, "plumbline.mjs", "sbom.cdx.json"];
  writeFileSync(join(release, "SHA256SUMS"), files.map((file) => `${sha256(join(release, file))}  ${file}\n`).join(""));
  return packed.size;
}

/** Bundles the program into one script. @returns the sources it was made from */
async function writeScript(file) {
  const { metafile } = await build({
    ...shared,
    entryPoints: ["dist/cli.js"],
    outfile: file,
    // `require` creates Node's own modules when they are used; `import` would create all of them at the start.
    format: "cjs",
    charset: "ascii",
    external: [...OUTSIDE, "pg-native"],
    define: { "import.meta.url": "importMetaUrl" },
    banner: { js: `const importMetaUrl=require("node:url").pathToFileURL(__filename).href;` },
  });
  return metafile;
}

/** Everything in one script, the files of the package with it. What is in machine code cannot be: SQLite, the store of a single agent. */
async function writeSingleFile(file) {
  const embedded = Object.fromEntries([...FILES, ...PAGE].map((path) => [path, readFileSync(path, "utf8")]));
  const define = { EMBEDDED_FILES: JSON.stringify(embedded) };
  await build({
    ...shared,
    entryPoints: ["dist/cli.js"],
    format: "esm",
    charset: "utf8",
    outfile: file,
    external: ["pg-native"],
    plugins: [...shared.plugins, libsqlIfThere],
    define,
    // Packages of the older kind call `require` for what Node brings.
    banner: { js: `import{createRequire as createRequireHere}from"node:module";const require=createRequireHere(import.meta.url);` },
  });
  chmodSync(file, 0o755);
}

/** The manifest of the package, whose scripts are of the older kind. @param environment of the workflow that releases it */
export function manifestOf({ name, version, description, license, engines, bin, dependencies }, environment = process.env) {
  const outside = Object.fromEntries(OUTSIDE.map((each) => [each, dependencies[each]]));
  // Where it is released from; npm compares it with what its provenance says.
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = environment;
  const repository =
    GITHUB_REPOSITORY === undefined ? undefined : { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` };
  return { name, version, description, license, repository, engines, bin, dependencies: outside };
}

/** The packages outside and what they need, at the versions of our own lock: nobody installs what we did not test. */
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
  for (const id of OUTSIDE) keep(id, "");
  return { name, version, lockfileVersion, requires: true, packages: kept };
}

/** Where Node would look for a package, nearest first. */
function placesAbove(from, id) {
  const parts = from === "" ? [] : from.split("/node_modules/");
  return parts
    .map((_, index) => `${parts.slice(0, parts.length - index).join("/node_modules/")}/node_modules/${id}`)
    .concat(`node_modules/${id}`);
}

function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** The licence of every package whose code is in the bundle, as each asks. */
function licenses(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const words = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      return `${name} ${version} (${license})\n${words}`;
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
