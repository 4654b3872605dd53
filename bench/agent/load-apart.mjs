// Measures the cost of loading a commit in a separate process, and how long this process is blocked with and without it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import { loadInProcess } from "../../dist/agent/loading/load-in-process.js";
import { loadHere } from "../../dist/agent/loading/loader.js";
import { parseConfiguration, readParsed } from "../../dist/desired/configuration/read.js";
import { loadDesired } from "../../dist/desired/load.js";
import { kinds } from "../../dist/targets/registry.js";

const program = fileURLToPath(new URL("../../dist/cli/load-commit.js", import.meta.url));
const apart = loadInProcess({ program, limits: { time: 600_000, memory: 4096, visit: 600_000 }, stop: new AbortController().signal });
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)].toFixed(0);

async function timed(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const result = await work();
  await new Promise(setImmediate);
  delay.disable();
  return { result, took: performance.now() - began, blocked: delay.max / 1e6 };
}

for (const targets of [1, 1_000, 5_000]) {
  const folder = mkdtempSync(join(tmpdir(), "bench-load-"));
  const file = join(folder, "plumbline.yaml");
  mkdirSync(join(folder, "d"));
  const row = (_, i) =>
    `  t${i}: { kind: panos, url: "https://10.0.0.1:${8000 + i}", credentials: { username: a, password: "\${env:PW}" }, mode: enforce }`;
  writeFileSync(file, ["format: 1", "owner: o", "documents: [d]", "targets:", ...Array.from({ length: targets }, row), ""].join("\n"));
  for (let i = 0; i < targets; i++) {
    const rows = Array.from({ length: 50 }, (_, j) => `    h${j}: { ip-netmask: 10.0.0.${j} }`);
    writeFileSync(join(folder, "d", `t${i}.yaml`), [`target: t${i}`, "scope: vsys1", "config:", "  address:", ...rows, ""].join("\n"));
  }
  const wanted = { commit: "c", author: "a", file, kinds, environment: {}, today: "2026-01-01", owns: async () => false };
  const parsed = await parseConfiguration(file, kinds);
  const { configuration } = await readParsed(parsed, { environment: {}, kinds, resolveSecrets: false });
  const { targets: index } = await loadHere(wanted, undefined);
  const since = { before: { commit: "b", author: "a", configuration, parsed, targets: index }, changed: ["d/t0.yaml"], folder: "" };
  const rounds = targets > 1_000 ? 3 : 7;
  for (const [what, given] of [
    ["all documents", undefined],
    ["one document", since],
  ]) {
    for (const [where, load] of [
      ["same process", loadHere],
      ["separate process", apart],
    ]) {
      const runs = [];
      for (let round = 0; round < rounds; round++) runs.push(await timed(() => load(wanted, given)));
      const [took, blocked] = [median(runs.map((run) => run.took)), median(runs.map((run) => run.blocked))];
      console.log(`${targets} targets, ${what}, ${where}: ${took} ms, this process blocked for at most ${blocked} ms`);
    }
  }
  const reread = await timed(async () =>
    readParsed(await parseConfiguration(file, kinds), { environment: {}, kinds, resolveSecrets: false }),
  );
  console.log(
    `${targets} targets: reading plumbline.yaml again takes ${reread.took.toFixed(0)} ms; the reply has ${serialize(index).length} bytes`,
  );
  const desired = await loadDesired(file, { ...wanted, resolveSecrets: false });
  const plain = [...desired.targets.values()].map(({ root }) => root);
  const cloned = await timed(async () => structuredClone(plain));
  console.log(`${targets} targets: cloning all documents takes ${cloned.took.toFixed(0)} ms, ${serialize(plain).length} bytes`);
  rmSync(folder, { recursive: true });
}
