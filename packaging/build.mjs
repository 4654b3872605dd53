// `npm run build`: builds dist from src and web. The tests also run it before the first test. Concurrent builds wait for each other, and a
// build without changes does nothing.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "libsql";

const SOURCES = ["src", "web", "packaging", "package.json", "tsconfig.json", "tsconfig.build.json", "tsconfig.room.json"];
const STEPS = [["node_modules/typescript/bin/tsc", "-b", "tsconfig.build.json"], ["packaging/compile-schema.mjs"], ["web/build.mjs"]];
/** Describes the inputs of the last build. Stored next to the types, which are not part of the package. */
const STAMP = "dist/types/built";
/** Released by the operating system when the process that holds it ends, however it ends. */
const LOCK = "node_modules/.cache/plumbline-build.db";
/** Milliseconds that others may build. */
const PATIENCE = 300_000;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
mkdirSync(dirname(LOCK), { recursive: true });
const lock = new Database(LOCK, { timeout: PATIENCE });
lock.exec("begin exclusive");
const state = stateOfSources();
/** Disables garbage collection in the compiler, because it took a third of the time. */
const env = { ...process.env, GOGC: "off", GOMEMLIMIT: "3GiB" };
const isBuilt = existsSync(STAMP) && existsSync("dist/cli.js") && readFileSync(STAMP, "utf8") === state;
if (!isBuilt) {
  for (const step of STEPS) {
    const { status } = spawnSync(process.execPath, step, { stdio: "inherit", env });
    if (status !== 0) process.exit(status ?? 1);
  }
  chmodSync("dist/cli.js", 0o755);
  writeFileSync(STAMP, state);
}
lock.close();

/** How many files and folders there are, and when one of them was changed last. A removal changes its folder. */
function stateOfSources() {
  const times = SOURCES.flatMap((source) => [source, ...contents(source)]).map((path) => statSync(path).mtimeMs);
  return `${times.length} ${Math.max(...times)}`;
}

function contents(path) {
  if (!statSync(path).isDirectory()) return [];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
}
