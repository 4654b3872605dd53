// `npm run test:mutation -- [--tests GLOB]... [FILE or FOLDER of src]...`: mutates the sources and prints the mutants that no test detects
// (docs/contributing/testing.md#mutations). By default: files that differ from main. Results are stored in .mutation, and the next run
// continues from there.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Number of sources in one start of Stryker. The results of an interrupted start are lost. */
const BATCH = 10;

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(join(here, "../.."));
const { values, positionals } = parseArgs({ options: { tests: { type: "string", multiple: true } }, allowPositionals: true });
const tool = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js");
if (!existsSync(tool)) run("npm", ["ci", "--prefix", here, "--ignore-scripts", "--no-audit", "--no-fund"]);

const sources = positionals.length > 0 ? positionals.flatMap(sourcesIn) : changedSources();
if (sources.length === 0) throw new Error("Nothing to mutate: name files or folders of src, or change one.");
for (const room of new Set(sources.map(roomOf))) {
  const files = sources.filter((file) => roomOf(file) === room);
  const env = { ...process.env, MUTATION_ROOM: room, MUTATION_TESTS: JSON.stringify(values.tests ?? [`test/${room}/**/*.test.ts`]) };
  for (let at = 0; at < files.length; at += BATCH) {
    run(process.execPath, [tool, "run", join(here, "stryker.config.mjs"), "--mutate", files.slice(at, at + BATCH).join(",")], env);
  }
}

function roomOf(file) {
  return file.split("/")[1];
}

function sourcesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(path, name));
}

function changedSources() {
  const names = execFileSync("git", ["diff", "--name-only", "--diff-filter=d", "main", "--", "src/*.ts"], { encoding: "utf8" });
  return names.split("\n").filter((name) => name !== "");
}

function run(command, args, env = process.env) {
  const { status } = spawnSync(command, args, { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
