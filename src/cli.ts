#!/usr/bin/env node
import { version } from "./core/version.js";

const stop = new AbortController();
// The reader may close the pipe early (`| head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stop.abort();
  });
}
const printStopping = () =>
  process.stderr.write("Stopping after the current step. Press Ctrl-C again to stop immediately; the next run then recovers.\n");
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stop.abort();
    if (process.stderr.isTTY) setTimeout(printStopping, 1000).unref();
  });
}

/** Checks `engines` of package.json. An older Node fails while it loads modules, with errors that do not mention the version. */
function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

/** Returns true for `plumbline --version`. Scripts call it, so it loads no command. */
function isVersionRequest([flag, ...rest]: readonly string[]): boolean {
  return (flag === "--version" || flag === "-V") && rest.length === 0;
}

const argv = process.argv.slice(2);
if (isVersionRequest(argv)) process.stdout.write(`${version}\n`);
else if (isTooOld(process.versions.node)) {
  process.stderr.write(`Plumbline needs Node.js 20.19 or later. This is Node.js ${process.versions.node} (${process.execPath}).\n`);
  process.exitCode = 1;
} else {
  // Node exits when the event loop is empty, even if the command has not finished.
  process.exitCode = 1;
  const printUnfinished = () => process.stderr.write("error Plumbline exited before the command finished. This is a bug in Plumbline.\n");
  if (process.send === undefined) process.once("exit", printUnfinished);
  void import("./cli/start.js")
    .then(({ start }) => start(argv, stop.signal))
    .then((code) => {
      process.exitCode = code;
      process.off("exit", printUnfinished);
    });
}
