#!/usr/bin/env node
import { runCli } from "./cli/program.js";

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

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  stop: stop.signal,
});
