// Shared by both benchmarks of the agent: a lab in another process, a repository, and an agent in this process.
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadHere } from "../../dist/agent/loading/loader.js";
import { openAgent } from "../../dist/agent/open.js";
import { openStore } from "../../dist/agent/store/open.js";
import { writersFor } from "../../dist/cli/open-targets.js";
import { readAgent } from "../../dist/desired/configuration/agent.js";
import { thisMachine } from "../../dist/engine/pass/machine.js";
import { withoutFlags } from "../../dist/engine/pass/options.js";
import { kinds } from "../../dist/targets/registry.js";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export async function world({ count, entries, declared = 50, agent = {}, pace = { speed: 1 } }) {
  const folder = mkdtempSync(join(tmpdir(), "bench-agent-"));
  const caFile = join(folder, "ca.pem");
  const lab = fork(fileURLToPath(new URL("lab.mjs", import.meta.url)), [String(count), String(entries), caFile], {
    execArgv: ["--max-old-space-size=6000"],
  });
  const [{ urls, bytes }] = await once(lab, "message");
  const work = join(folder, "work");
  const remote = join(folder, "origin.git");
  const git = (...words) =>
    execFileSync("git", ["-C", work, "-c", "user.name=b", "-c", "user.email=b@example.com", ...words], { encoding: "utf8" });
  execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", remote]);
  mkdirSync(join(work, "fw"), { recursive: true });
  execFileSync("git", ["init", "-q", "--initial-branch=main", work]);
  git("remote", "add", "origin", remote);
  const names = urls.map((_, i) => `fw${i}`);
  const targets = urls.map(
    (url, i) =>
      `  fw${i}: { kind: panos, url: "${url}", credentials: { username: plumbline, password: "\${env:PW}" }, tls: { ca: ${caFile} }, mode: enforce }`,
  );
  writeFileSync(
    join(work, "plumbline.yaml"),
    ["format: 1", "owner: bench", "documents: [fw]", "guards: { targets: 100000 }", "targets:", ...targets, ""].join("\n"),
  );
  const want = (i, more = "") => {
    const rows = Array.from(
      { length: declared },
      (_, n) => `    host-${n}: { ip-netmask: 10.0.0.${n}, description: "made for measuring, number ${n}, nothing else" }`,
    );
    writeFileSync(
      join(work, "fw", `fw${i}.yaml`),
      [`target: fw${i}`, "scope: vsys1", "config:", "  address:", ...rows, ...(more === "" ? [] : [more]), ""].join("\n"),
    );
  };
  for (let i = 0; i < count; i++) want(i);
  const push = (message) => {
    git("add", ".");
    git("commit", "--allow-empty", "-qm", message);
    git("push", "-q", "origin", "HEAD:main");
  };
  push("first");
  const stop = new AbortController();
  const store = await openStore({ kind: "sqlite", file: join(folder, "state", "plumbline.db") }, { readOnly: false });
  const claim = await store.claim({ host: thisMachine.host, pid: process.pid, started: Date.now(), version: "bench" }, Date.now());
  // Stops the agent's clock during the measurement of its memory, so that no running work is included.
  const still = { since: undefined, lost: 0 };
  const clock = {
    now: () => Date.now(),
    monotonic: () => ((still.since ?? performance.now()) - still.lost) * pace.speed,
    sleep: (milliseconds, signal) => wait(Math.min(milliseconds / pace.speed, 2 ** 30), undefined, { signal }).catch(() => undefined),
    random: Math.random,
  };
  const opened = await openAgent({
    settings: readAgent({ source: { url: remote, branch: "main" }, http: { port: 0 } }, folder),
    fixed: agent,
    configurationFile: undefined,
    store,
    pass: {
      ...withoutFlags,
      source: { kinds, environment: { ...process.env, PW: "plumbline" } },
      stores: { stateFolder: join(folder, "state"), ledger: undefined },
      machine: thisMachine,
      stop: stop.signal,
    },
    write: { takeover: false, lockTimeout: 0, sleep: wait },
    writers: writersFor(quiet),
    clock,
    load: loadHere,
    stop: stop.signal,
    onFault: (error) => console.error("fault", error),
  });
  const { agent: running, events } = opened;
  const done = { run: Promise.resolve() };
  return {
    names,
    bytes,
    events,
    store,
    want,
    push,
    fetchSoon: () => running.fetchSoon("webhook"),
    watchWrites: () => {
      const wrote = once(lab, "message").then(([{ wrote: time }]) => time);
      lab.send({ watch: true });
      return wrote;
    },
    idle: async () => {
      while (!running.isIdle) await wait(20);
    },
    /** Runs `work` while no pass runs or starts. */
    atRest: async (work) => {
      still.since = performance.now();
      while (!running.isIdle) await wait(20);
      const result = await work();
      still.lost += performance.now() - still.since;
      still.since = undefined;
      return result;
    },
    meddle: (i) => lab.send({ meddle: i }),
    start: () => {
      done.run = running.run(stop.signal);
    },
    close: async () => {
      stop.abort();
      await done.run;
      await claim.release();
      await store.close();
      lab.disconnect();
      // A garbage collection of git may still write into the folder.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** Resolves when `count` passes have ended. */
export function passes(events, count) {
  return new Promise((resolve) => {
    let seen = 0;
    const results = {};
    const end = events.listen((event) => {
      if (event.type !== "pass-ended") return;
      seen += 1;
      results[event.result] = (results[event.result] ?? 0) + 1;
      if (seen < count) return;
      end();
      resolve(results);
    });
  });
}

export function openFiles() {
  return readdirSync("/proc/self/fd").length;
}

/** Returns the heap size after garbage collection, in bytes. */
export async function heap() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await wait(20);
  }
  return process.memoryUsage().heapUsed;
}
