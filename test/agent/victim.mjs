// An agent in a separate process that a test kills: the built program, a real store, a real clone and an accelerated clock. Takes one JSON
// argument: remote, stateFolder, once. Prints "here" when it has a commit.
import { setTimeout as wait } from "node:timers/promises";
import { loadHere } from "../../dist/agent/loading/loader.js";
import { openAgent } from "../../dist/agent/open.js";
import { openStore } from "../../dist/agent/store/open.js";
import { readAgent } from "../../dist/desired/configuration/agent.js";
import { thisMachine } from "../../dist/engine/pass/machine.js";
import { withoutFlags } from "../../dist/engine/pass/options.js";
import { systemDependencies } from "../../dist/targets/panos/dependencies.js";
import { panosKind } from "../../dist/targets/panos/kind.js";
import { openPanosReader } from "../../dist/targets/panos/reader.js";
import { openPanosWriter } from "../../dist/targets/panos/writer.js";

const { remote, stateFolder, once } = JSON.parse(process.argv[2] ?? "{}");
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const quiet = { debug: () => undefined, warn: () => undefined };
const dependencies = {
  ...systemDependencies(quiet),
  clock: { now: () => performance.now(), sleep: (milliseconds) => wait(milliseconds / 100) },
};
const hasty = {
  now: () => Date.now(),
  monotonic: () => performance.now() * 1000,
  sleep: (milliseconds, signal) => wait(milliseconds / 1000, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};
const store = await openStore({ kind: "sqlite", file: `${stateFolder}/plumbline.db` }, { readOnly: false });
const claim = await store.claim({ host: thisMachine.host, pid: process.pid, started: Date.now(), version: "test" }, Date.now());
const faults = [];
const { agent, events } = await openAgent({
  settings: readAgent({ source: { url: remote, branch: "main" }, http: { port: 0 } }, stateFolder),
  fixed: {},
  configurationFile: undefined,
  store,
  pass: {
    ...withoutFlags,
    source: { kinds: new Map([["panos", panosKind]]), environment: { ...process.env, PW: "secret" } },
    stores: { stateFolder, ledger: undefined },
    machine: thisMachine,
    stop: stop.signal,
  },
  write: { takeover: false, lockTimeout: 0, sleep: async () => undefined },
  load: loadHere,
  writers: {
    reader: (configuration) => openPanosReader(configuration, dependencies),
    writer: (configuration) => openPanosWriter(configuration, dependencies),
    guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  },
  clock: hasty,
  stop: stop.signal,
  onFault: (error) => faults.push(String(error)),
});
events.listen(({ type }) => void (type === "commit-in-force" && process.stdout.write("here\n")));
const results = once ? await agent.once(stop.signal) : await agent.run(stop.signal);
await claim.release();
await store.close();
if (once) process.stdout.write(`${JSON.stringify({ results: [...results], faults })}\n`);
