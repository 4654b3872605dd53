#!/usr/bin/env node
import nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { version } from "./core/version.js";

const stop = new AbortController();
// Who reads our output may have seen enough (`| head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stop.abort();
  });
}
const saySoon = () => process.stderr.write("finishing the step under way; ctrl-C again ends at once, and the next run puts things right\n");
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stop.abort();
    if (process.stderr.isTTY) setTimeout(saySoon, 1000).unref();
  });
}

/** `engines` of package.json. An older Node fails in the middle of loading, with words about its modules. */
function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

/** Keeps what V8 made of the scripts, where Node can (22.8 on). In a folder of ours: what lies there is run. */
function keepCompiled(): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "plumbline"));
}

/**
 * The parser of HTTP is WebAssembly, and V8 compiles it a second time, for speed, after a few kilobytes of replies: 70 ms of a processor and
 * 30 MB, of which a plan gets nothing back (bench/RESULTS.md#a-small-change). An agent gets there after its first thousand requests.
 */
function parseAsCompiledFirst(): void {
  const [v8 = 0] = process.versions.v8.split(".").map(Number);
  // An unknown flag is complained about on standard error: who knows it of newer versions may say so here.
  if (v8 <= 14) setFlagsFromString("--wasm-tiering-budget=2000000000");
}

/** True for `plumbline --version` alone: it is asked for by scripts, and answered without loading any command. */
function asksVersion([flag, ...rest]: readonly string[]): boolean {
  return (flag === "--version" || flag === "-V") && rest.length === 0;
}

async function run(argv: readonly string[]): Promise<number> {
  const { runCli } = await import("./cli/program.js");
  return await runCli(argv, {
    environment: process.env,
    folder: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    stop: stop.signal,
  });
}

/** True in a process that the agent forked for this (docs/adr/0033-commits-are-loaded-apart.md); nobody types these words. */
function isForkedTo(word: "load-commit" | "work-out-insight", [first]: readonly string[]): boolean {
  return first === word && process.send !== undefined;
}

const argv = process.argv.slice(2);
if (asksVersion(argv)) process.stdout.write(`${version}\n`);
else if (isTooOld(process.versions.node)) {
  process.stderr.write(`Plumbline needs Node.js 20.19 or later, and this is ${process.versions.node} (${process.execPath}).\n`);
  process.exitCode = 1;
} else if (isForkedTo("load-commit", argv)) {
  await import("./cli/load-commit.js");
} else if (isForkedTo("work-out-insight", argv)) {
  await import("./cli/work-out-insight.js");
} else {
  keepCompiled();
  parseAsCompiledFirst();
  process.exitCode = await run(argv);
}
