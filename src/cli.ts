#!/usr/bin/env node
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

const argv = process.argv.slice(2);
if (asksVersion(argv)) process.stdout.write(`${version}\n`);
else process.exitCode = await run(argv);
