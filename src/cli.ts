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
const saySoon = () => process.stderr.write("finishing the current step; press Ctrl-C again to end immediately, the next run recovers\n");
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

/** True for `plumbline --version` alone: it is asked for by scripts, and answered without loading any command. */
function asksVersion([flag, ...rest]: readonly string[]): boolean {
  return (flag === "--version" || flag === "-V") && rest.length === 0;
}

const argv = process.argv.slice(2);
if (asksVersion(argv)) process.stdout.write(`${version}\n`);
else if (isTooOld(process.versions.node)) {
  process.stderr.write(`Plumbline needs Node.js 20.19 or later, and this is ${process.versions.node} (${process.execPath}).\n`);
  process.exitCode = 1;
} else {
  // Node ends where nothing is left to wait for, work or not.
  process.exitCode = 1;
  const sayUnfinished = () => process.stderr.write("error Plumbline ended before its work was over: this is a fault of its own.\n");
  if (process.send === undefined) process.once("exit", sayUnfinished);
  void import("./cli/start.js")
    .then(({ start }) => start(argv, stop.signal))
    .then((code) => {
      process.exitCode = code;
      process.off("exit", sayUnfinished);
    });
}
