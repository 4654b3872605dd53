/**
 * Measures plans without changes for a lab controller with N networks of two subnets: requests, and time without waiting for replies.
 *   npm run build && node bench/contrail.mjs [networks...]
 * `reconcile` creates the objects, so each of them has an owner mark. The lab runs in this process. Each command runs in a process of its
 * own (`openstack-run.mjs`). The journal of the lab counts the requests. Writes `bench/results/contrail.md`.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startContrailLab } from "../dist/lab/contrail/start.js";

const RUNS = 5;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 1_000];
const RUNNER = fileURLToPath(new URL("openstack-run.mjs", import.meta.url));
const IPAM = "default-domain:default-project:default-network-ipam";

const run = promisify(execFile);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Returns documents with two /24 subnets in each network. */
function desired(networks) {
  const cidr = (at, half) => `10.${(at * 2 + half) >> 8}.${(at * 2 + half) & 255}.0/24`;
  return [
    "target: fabric",
    "scope: controller",
    "config:",
    "  virtual-networks:",
    ...Array.from({ length: networks }, (_, at) => {
      const subnets = `{ ${cidr(at, 0)}: {}, ${cidr(at, 1)}: { enable_dhcp: false } }`;
      return `    default-domain:bench:net-${at}: { network_ipam_refs: { ${IPAM}: { ipam_subnets: ${subnets} } } }`;
    }),
    "",
  ].join("\n");
}

async function withController(networks, work) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-fabric-"));
  const lab = await startContrailLab({ port: 0 });
  try {
    lab.world.create("project", { fq_name: ["default-domain", "bench"], parent_type: "domain" });
    mkdirSync(join(folder, "fabric"));
    const target = `fabric: { kind: contrail, url: "${lab.url}", mode: enforce }`;
    writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: bench\ndocuments: [fabric]\ntargets:\n  ${target}\n`);
    writeFileSync(join(folder, "fabric", "main.yaml"), desired(networks));
    const environment = { PATH: process.env.PATH, HOME: folder, PLUMBLINE_STATE_DIR: `${folder}/.state` };
    const command = async (...words) => {
      const before = lab.journal.length;
      const { stdout } = await run(process.execPath, [RUNNER, folder, ...words], { env: environment, cwd: folder, maxBuffer: 1 << 26 });
      const measured = JSON.parse(stdout);
      if (measured.code !== 0) throw new Error(`${words.join(" ")} ended with ${measured.code}\n${measured.output}`);
      return { ...measured, requests: lab.journal.length - before };
    };
    return await work(command);
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const ms = (value) => `${Math.round(value)} ms`;
const rows = [];
for (const networks of sizes) {
  const { made, plans } = await withController(networks, async (command) => {
    const made = await command("reconcile", "--yes");
    const plans = [];
    for (let at = 0; at < RUNS; at += 1) plans.push(await command("plan"));
    return { made, plans };
  });
  const own = median(plans.map(({ total, waiting }) => total - waiting));
  const times = [median(plans.map(({ total }) => total)), own, median(plans.map(({ processor }) => processor))].map(ms);
  rows.push(`| ${networks} | ${2 * networks} | ${plans[0].requests} | ${times.join(" | ")} | ${made.requests} | ${ms(made.total)} |`);
}

const lines = [
  `Medians of ${RUNS} plans without changes, each in a process of its own. Own time: total without the time spent waiting for replies.`,
  "",
  "| networks | subnets | requests of a plan | total | own time | CPU time | requests of the first reconcile | its time |",
  "|---|---|---|---|---|---|---|---|",
  ...rows,
];
const results = fileURLToPath(new URL("results", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, "contrail.md"), `${lines.join("\n")}\n`);
process.stdout.write(`${lines.join("\n")}\n`);
