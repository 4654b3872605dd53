// Compares loading a plumbline.yaml with many targets and only parsing it with the YAML library. The two run in turn.
// Usage: npm run build && node bench/targets.mjs [targets...]; PLUMBLINE_DIST measures another build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument } from "yaml";

const dist = process.env.PLUMBLINE_DIST ?? new URL("../dist", import.meta.url).pathname;
const { loadDesired } = await import(`${dist}/desired/load.js`);
const { kinds } = await import(`${dist}/targets/registry.js`);
const RUNS = 5;
const SITES = 100;
const OPTIONS = { version: "1.2", schema: "core", merge: false, prettyErrors: false, logLevel: "silent", uniqueKeys: false };
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

console.log("| targets | KB | parse, CPU ms | load, CPU ms | ratio, median of 5 |\n|---|---|---|---|---|");
for (const count of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 50_000]) {
  const folder = mkdtempSync(join(tmpdir(), "bench-targets-"));
  mkdirSync(join(folder, "state"));
  const login = `credentials: { username: u, password: "\${env:PW}" }`;
  const target = (i) => `  fw${i}: { kind: panos, url: "https://192.0.2.1", ${login}, labels: { site: s${i % SITES} } }`;
  const groups = Array.from({ length: SITES }, (_, i) => `  g${i}: { labels: { site: s${i % count} } }`);
  const targets = Array.from({ length: count }, (_, i) => target(i));
  const text = ["format: 1", "owner: netops", "documents: [state]", "groups:", ...groups, "targets:", ...targets, ""].join("\n");
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, text);
  writeFileSync(join(folder, "state", "all.yaml"), "target: fw0\nscope: vsys1\nconfig: { tag: { a: {} } }\n");
  const runs = [];
  for (let run = -1; run < RUNS; run++) {
    const parse = await took(() => parseDocument(text, OPTIONS));
    const load = await took(() => loadDesired(file, { environment: { PW: "x" }, kinds, today: "2026-11-21", resolveSecrets: true }));
    if (run >= 0) runs.push({ parse, load, ratio: load / parse });
  }
  const [parse, load, ratio] = ["parse", "load", "ratio"].map((key) => median(runs.map((run) => run[key])));
  console.log(`| ${count} | ${Math.round(text.length / 1000)} | ${parse.toFixed(0)} | ${load.toFixed(0)} | ${ratio.toFixed(2)} |`);
  rmSync(folder, { recursive: true });
}

/** Returns the CPU time of `work` in milliseconds, including garbage collection. */
async function took(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
