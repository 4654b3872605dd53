// Measures loading one target of many, as in each pass of an agent: plumbline.yaml is already parsed, and one document is read.
// Usage: npm run build && node bench/load-one.mjs [targets...]; PLUMBLINE_DIST measures another build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dist = process.env.PLUMBLINE_DIST ?? new URL("../dist", import.meta.url).pathname;
const { parseConfiguration } = await import(`${dist}/desired/configuration/read.js`);
const { loadDesired } = await import(`${dist}/desired/load.js`);
const { kinds } = await import(`${dist}/targets/registry.js`);
const LOADS = 40;
const RUNS = 5;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 1_000, 5_000];

console.log("| targets | ms a load, median of 5 runs of 40 |\n|---|---|");
for (const count of sizes) {
  const folder = mkdtempSync(join(tmpdir(), "bench-load-one-"));
  mkdirSync(join(folder, "state"));
  const target = (i) => `  fw${i}: { kind: panos, url: "https://192.0.2.1", credentials: { username: u, password: "\${env:PW}" } }`;
  const targets = Array.from({ length: count }, (_, i) => target(i));
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, ["format: 1", "owner: netops", "documents: [state]", "targets:", ...targets, ""].join("\n"));
  const rows = Array.from({ length: 20 }, (_, i) => `    host-${i}: { ip-netmask: 10.0.0.${i + 1} }`);
  for (let i = 0; i < Math.min(count, LOADS); i++) {
    writeFileSync(
      join(folder, "state", `fw${i}.yaml`),
      [`target: fw${i}`, "scope: vsys1", "config:", "  address:", ...rows, ""].join("\n"),
    );
  }
  const parsed = await parseConfiguration(file, kinds);
  const environment = { PW: "x" };
  const run = async () => {
    const began = performance.now();
    for (let i = 0; i < LOADS; i++) {
      const at = i % Math.min(count, LOADS);
      const options = { environment, kinds, today: "2026-11-21", resolveSecrets: true, parsed };
      await loadDesired(file, { ...options, targets: [`fw${at}`], documents: { files: [`state/fw${at}.yaml`], of: new Set([`fw${at}`]) } });
    }
    return (performance.now() - began) / LOADS;
  };
  await run();
  const times = [];
  for (let i = 0; i < RUNS; i++) times.push(await run());
  times.sort((a, b) => a - b);
  console.log(`| ${count} | ${times[RUNS >> 1].toFixed(2)} |`);
  rmSync(folder, { recursive: true });
}
