// One of many agents in a process of its own, made to be killed, stopped and cut off. Told by one argument of JSON:
// database, remote, stateFolder, lease and drift interval in milliseconds, clock offset. Says what it applied.
import { setTimeout as wait } from "node:timers/promises";

const { database, remote, stateFolder, lease, driftInterval, offset, concurrency } = JSON.parse(process.argv[2] ?? "{}");
const dist = process.env.PLUMBLINE_DIST ?? new URL("../../dist", import.meta.url).pathname;
/** Builds of before sources moved into rooms, which run here too, have some files elsewhere. */
const load = async (name, formerly = name) => await import(`${dist}/${name}.js`).catch(() => import(`${dist}/${formerly}.js`));
const { openAgent } = await load("agent/open");
const { readAgent } = await load("desired/configuration/agent");
const { thisMachine } = await load("engine/pass/process", "pass/process");
const { SecretValue } = await load("core/secret", "secret");
const { openStore } = await load("agent/store/open", "store/open");
const { systemDependencies } = await load("targets/panos/dependencies");
const { panosKind } = await load("targets/panos/kind");
const { openPanosReader } = await load("targets/panos/reader");
const { openPanosWriter } = await load("targets/panos/writer");
// Builds of before commits were loaded apart load them here by themselves.
const { loadHere } = await load("agent/loading/loader").catch(() => ({}));
const { openWords } = await load("outcome/open-words").catch(() => ({}));

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
  // Jitter is meant for a fleet and a day; here it is a fiftieth.
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
    stateFolder,
    kinds: new Map([["panos", panosKind]]),
    environment: { ...process.env, PW: "secret" },
    machine: { ...thisMachine, now },
    // Not withoutFlags: builds of older versions, which run here too, have none.
    only: undefined,
    allow: new Map(),
    allowEmptyLive: [],
    allowNonDescendant: false,
    ledger: undefined,
    rotateSecrets: false,
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
    // What is written and not through yet is told so on every surface.
    const open = openWords?.(event.outcome ?? {}) === undefined ? "whole" : "open";
    say("pass", event.target, event.result, event.outcome?.error?.code ?? "-", event.commit ?? "-", open);
  } else if (event.type === "store-failed") say("store-failed", JSON.stringify(event.error.message));
});
await agent.run(stop.signal);
await store.close();
