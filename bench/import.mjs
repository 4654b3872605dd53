/**
 * Measures `plumbline import --xml` and the start of `plumbline lab --from` for a large firewall configuration, compared with a process that
 * only parses the file. The processes run in turn.
 *   npm run build && node bench/import.mjs [--addresses 100000] [--rules 20000] [--runs 3]
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateXml } from "./generate.mjs";

const text = (value) => ({ type: "string", default: value });
const { values } = parseArgs({ options: { addresses: text("100000"), rules: text("20000"), runs: text("3") } });
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const CLI = file("../dist/cli.js");
const REPORT = "data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS+'\\n'))";
const PARSE = `const { parseXml } = await import(${JSON.stringify(file("../dist/core/tree/xml/parse.js"))});
  parseXml((await import("node:fs")).readFileSync(process.argv[1]));`;

const folder = mkdtempSync(join(tmpdir(), "bench-import-"));
const xml = join(folder, "live.xml");
writeFileSync(xml, generateXml({ addresses: Number(values.addresses), rules: Number(values.rules) }));

function measure(words) {
  const start = performance.now();
  const done = spawnSync(process.execPath, ["--import", REPORT, ...words], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${words.join(" ")} ended with ${done.status}\n${done.stdout}\n${done.stderr}`);
  return { seconds: (performance.now() - start) / 1000, megabytes: Number(/maxrss (\d+)/.exec(done.stderr)?.[1]) / 1024 };
}

async function measureLab(run) {
  const ready = join(folder, `ready-${run}.json`);
  const start = performance.now();
  const lab = spawn(process.execPath, [CLI, "lab", "--from", xml, "--port", "0", "--ready-file", ready], { stdio: "ignore" });
  while (!existsSync(ready) && lab.exitCode === null) await wait(5);
  const seconds = (performance.now() - start) / 1000;
  if (lab.exitCode !== null) throw new Error(`the lab ended with ${lab.exitCode}`);
  const over = new Promise((done) => lab.once("exit", done));
  lab.kill("SIGTERM");
  await over;
  return { seconds };
}

const rows = { parse: [], import: [], lab: [] };
for (let run = 0; run < Number(values.runs); run++) {
  rows.parse.push(measure(["--input-type=module", "-e", PARSE, xml]));
  rows.import.push(measure([CLI, "import", "--xml", xml, "--out", join(folder, `out-${run}`)]));
  rows.lab.push(await measureLab(run));
}
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const parse = median(rows.parse.map(({ seconds }) => seconds));
console.log(`${(statSync(xml).size / 1e6).toFixed(1)} MB\n\n| | s | ratio to parse | peak MB |\n|---|---|---|---|`);
for (const [name, all] of Object.entries(rows)) {
  const seconds = median(all.map((each) => each.seconds));
  const most = Math.max(...all.map(({ megabytes }) => megabytes ?? Number.NaN));
  console.log(`| ${name} | ${seconds.toFixed(2)} | ${(seconds / parse).toFixed(2)} | ${Number.isNaN(most) ? "-" : most.toFixed(0)} |`);
}
rmSync(folder, { recursive: true });
