/**
 * Compares a cold `plumbline plan` of a large firewall with a process that only parses the live XML and loads the YAML. The lab runs in a
 * third process.
 *   npm run build && node bench/cold-plan.mjs [--addresses 100000] [--rules 20000] [--runs 5]
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateXml } from "./generate.mjs";
import { generateYaml } from "./generate-yaml.mjs";

const text = (value) => ({ type: "string", default: value });
const { values } = parseArgs({ options: { addresses: text("100000"), rules: text("20000"), runs: text("5") } });
const runs = Number(values.runs);
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const CLI = file("../dist/cli.js");
const REPORT = "data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS+'\\n'))";

const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"));
const sizes = { addresses: Number(values.addresses), rules: Number(values.rules) };
const xml = join(folder, "live.xml");
const configuration = join(folder, "plumbline.yaml");
const yaml = join(folder, "edge", "vsys1.yaml");
mkdirSync(join(folder, "edge"));
writeFileSync(xml, generateXml(sizes));
writeFileSync(yaml, generateYaml(sizes));
writeFileSync(
  configuration,
  'format: 1\nowner: bench\ndocuments: [edge]\ntargets:\n  edge:\n    kind: panos\n    url: https://127.0.0.1:1\n    credentials: { username: admin, password: "${env:BENCH_PASSWORD}" }\n    timeout: 120\n',
);

/** Runs one process and returns its wall time in seconds and its peak memory in megabytes. */
function measure(words, environment) {
  const start = performance.now();
  const done = spawnSync(process.execPath, ["--import", REPORT, ...words], {
    encoding: "utf8",
    env: { ...process.env, BENCH_PASSWORD: "admin", ...environment },
  });
  const seconds = (performance.now() - start) / 1000;
  if (done.status !== 0) throw new Error(`${words.join(" ")} ended with ${done.status}\n${done.stdout}\n${done.stderr}`);
  return { seconds, megabytes: Number(/maxrss (\d+)/.exec(done.stderr)?.[1]) / 1024 };
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

const ready = join(folder, "ready.json");
const lab = spawn(process.execPath, ["--max-old-space-size=8000", CLI, "lab", "--from", xml, "--port", "0", "--ready-file", ready], {
  stdio: "ignore",
});
try {
  while (!existsSync(ready)) await wait(100);
  const environment = {
    PLUMBLINE_TARGET_EDGE_URL: JSON.parse(readFileSync(ready, "utf8")).firewall,
    PLUMBLINE_TARGET_EDGE_CA: join(folder, "ca.pem"),
    PLUMBLINE_STATE_DIR: join(folder, "state"),
  };
  const rows = { baseline: [], plan: [] };
  for (let i = 0; i < runs; i++) {
    rows.baseline.push(measure([file("cold-plan-baseline.mjs"), xml, configuration], environment));
    rows.plan.push(measure([CLI, "plan", "--config", configuration], environment));
  }
  const seconds = (name) => median(rows[name].map((row) => row.seconds));
  const megabytes = (name) => median(rows[name].map((row) => row.megabytes));
  const mb = (name) => (statSync(name).size / 1e6).toFixed(1);
  const lines = [
    `Live XML ${mb(xml)} MB, desired YAML ${mb(yaml)} MB, ${runs} interleaved runs, medians; complete processes, including the start of Node.`,
    "",
    "| process | seconds | peak memory, MB |",
    "|---|---|---|",
    `| parse the XML and load the YAML | ${seconds("baseline").toFixed(2)} | ${megabytes("baseline").toFixed(0)} |`,
    `| plumbline plan, over TLS from the lab | ${seconds("plan").toFixed(2)} | ${megabytes("plan").toFixed(0)} |`,
    `| ratio | ${(seconds("plan") / seconds("baseline")).toFixed(2)} | |`,
  ];
  mkdirSync(file("results"), { recursive: true });
  writeFileSync(file("results/cold-plan.md"), `${lines.join("\n")}\n`);
  process.stdout.write(`${lines.join("\n")}\n`);
} finally {
  lab.kill();
  rmSync(folder, { recursive: true, force: true });
}
