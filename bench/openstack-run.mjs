/**
 * Runs one command of `openstack.mjs` in a process of its own: `node bench/openstack-run.mjs FOLDER ARGUMENTS...`. Prints JSON: exit code,
 * output, total milliseconds, milliseconds spent waiting for at least one reply, and CPU milliseconds. The times exclude the start of Node
 * and the import of the code.
 */
import { subscribe } from "node:diagnostics_channel";
import { runCli } from "../dist/cli/program.js";

const [folder = ".", ...args] = process.argv.slice(2);
let awaited = 0;
let waiting = 0;
let since = 0;
const sent = new WeakSet();

subscribe("undici:client:sendHeaders", ({ request }) => {
  sent.add(request);
  if (awaited++ === 0) since = performance.now();
});
for (const end of ["undici:request:headers", "undici:request:error"]) {
  subscribe(end, ({ request }) => {
    if (sent.delete(request) && --awaited === 0) waiting += performance.now() - since;
  });
}

let printed = "";
const stream = { write: (text) => (printed += text) };
const context = {
  environment: process.env,
  folder,
  ...{ stdout: stream, stderr: stream, now: () => new Date(), stop: new AbortController().signal },
};
const cpu = process.cpuUsage();
const start = performance.now();
const code = await runCli(args, context);
const total = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ code, output: printed.slice(0, 4000), total, waiting, processor: (user + system) / 1000 }));
