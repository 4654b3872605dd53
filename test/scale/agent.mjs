// Runs one agent in its own process, so that a test can kill it, suspend it and cut its network. The argument is JSON: database, remote,
// stateFolder, lease and drift interval in milliseconds, clock offset. It prints each pass.
import { setTimeout as wait } from "node:timers/promises";
import { loadHere } from "../../dist/agent/loading/loader.js";
import { openAgent } from "../../dist/agent/open.js";
import { openStore } from "../../dist/agent/store/open.js";
import { SecretValue } from "../../dist/core/secret.js";
import { readAgent } from "../../dist/desired/configuration/agent.js";
import { thisMachine } from "../../dist/engine/pass/machine.js";
import { formatUnfinished } from "../../dist/outcome/format-unfinished.js";
import { systemDependencies } from "../../dist/targets/panos/dependencies.js";
import { panosKind } from "../../dist/targets/panos/kind.js";
import { openPanosReader } from "../../dist/targets/panos/reader.js";
import { openPanosWriter } from "../../dist/targets/panos/writer.js";

const { database, remote, stateFolder, lease, driftInterval, offset, concurrency } = JSON.parse(process.argv[2] ?? "{}");
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const quiet = { debug: () => undefined, warn: () => undefined };
const dependencies = {
  ...systemDependencies(quiet),
  clock: { now: () => performance.now(), sleep: (milliseconds) => wait(milliseconds / 100) },
};
const now = () => Date.now() + offset;
const clock = {
  now,
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }).catch(() => undefined),
  // A fiftieth of the real jitter.
  random: () => Math.random() / 50,
};
const say = (...words) => process.stdout.write(`${words.join(" ")}\n`);
const store = await openStore({ kind: "postgres", url: new SecretValue(database, "database") }, { readOnly: false });
const { agent, events } = await openAgent({
  settings: readAgent({ source: { url: remote, branch: "main", interval: "1s" }, http: { port: 0 } }, stateFolder),
  fixed: { driftInterval, concurrency: concurrency ?? 4 },
  configurationFile: undefined,
  store,
  pass: {
    source: { kinds: new Map([["panos", panosKind]]), environment: { ...process.env, PW: "secret" } },
    overrides: { allow: new Map(), allowEmptyLive: [], allowNonDescendant: false, rotateSecrets: false },
    stores: { stateFolder, ledger: undefined },
    analysis: {},
    listeners: {},
    machine: { ...thisMachine, now },
    stop: stop.signal,
  },
  write: { takeover: false, lockTimeout: 0, sleep: async () => undefined },
  writers: {
    reader: (configuration) => openPanosReader(configuration, dependencies),
    writer: (configuration) => openPanosWriter(configuration, dependencies),
    guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  },
  clock,
  load: loadHere,
  stop: stop.signal,
  lease,
  onFault: (error, about) => say("fault", about, JSON.stringify(String(error?.code ?? ""))),
});
events.listen((event) => {
  if (event.type === "commit-in-force") say("commit", event.commit);
  else if (event.type === "pass-ended") {
    const open = formatUnfinished(event.outcome ?? {}) === undefined ? "whole" : "open";
    say("pass", event.target, event.result, event.outcome?.error?.code ?? "-", event.commit ?? "-", open);
  } else if (event.type === "store-failed") say("store-failed", JSON.stringify(event.error.message));
});
await agent.run(stop.signal);
await store.close();
