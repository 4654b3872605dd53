/**
 * One command of `openstack.mjs` in a process of its own: `node bench/openstack-run.mjs FOLDER WORDS...`. Prints as JSON the exit code,
 * what it said, the milliseconds from the call to its end, those in which at least one reply was awaited, and the
 * processor time spent. The start of Node and the import of the code are not in any of them.
 */
import { subscribe } from "node:diagnostics_channel";
import { runCli } from "../dist/cli/program.js";

const [folder = ".", ...words] = process.argv.slice(2);
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

let said = "";
const output = { write: (text) => (said += text) };
const context = {
  environment: process.env,
  folder,
  ...{ stdout: output, stderr: output, now: () => new Date(), stop: new AbortController().signal },
};
const cpu = process.cpuUsage();
const start = performance.now();
const code = await runCli(words, context);
const total = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ code, said: said.slice(0, 4000), total, waiting, processor: (user + system) / 1000 }));
