import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "libsql";

/** Released by the operating system when the process that holds it ends, however it ends. */
const LOCK = "node_modules/.cache/plumbline-build.db";
const PAGE = "dist/web/assets/index.html";
/** Milliseconds that another process may build. */
const PATIENCE = 120_000;

/**
 * Brings `dist/` up to date before the first test, so that any test file can be run alone. Some tests start the program in
 * processes of their own, and these run what was built. What does not compile is said; the tests run all the same.
 */
export default function buildOnce(): void {
  mkdirSync(dirname(LOCK), { recursive: true });
  const lock = new Database(LOCK, { timeout: PATIENCE });
  try {
    lock.exec("begin exclusive");
    run("node_modules/typescript/bin/tsc", "-b", "tsconfig.build.json");
    chmodSync("dist/cli.js", 0o755);
    if (newest("web") > changed(PAGE)) run("web/build.mjs");
  } finally {
    lock.close();
  }
}

function run(...script: readonly string[]): void {
  const { status, error } = spawnSync(process.execPath, script, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) console.error(`${script.join(" ")} failed (${error?.message ?? status}): the tests run what was built of it.`);
}

/** When a file was last written, as milliseconds since 1970; 0 where there is none. */
function changed(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newest(folder: string): number {
  return Math.max(...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => changed(join(folder, file))));
}
