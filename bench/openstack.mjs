/**
 * Measures plans without changes for a project of a lab cloud with N networks, each with two subnets and two servers: requests, and time
 * without waiting for replies.
 *   npm run build && node bench/openstack.mjs [networks...]
 * `reconcile` creates the objects, so each of them has an owner mark. The lab runs in this process. Each command runs in a process of its
 * own (`openstack-run.mjs`). The journal of the lab counts the requests. Writes `bench/results/openstack.md`.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startOpenstackLab } from "../dist/lab/openstack/start.js";

const RUNS = 5;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 1_000];
const RUNNER = fileURLToPath(new URL("openstack-run.mjs", import.meta.url));
const CONFIGURATION = `format: 1
owner: bench
documents: [cloud]
targets:
  cloud:
    kind: openstack
    url: "\${env:BENCH_AUTH_URL}"
    credentials: { username: "\${env:BENCH_USER}", password: "\${env:BENCH_PASSWORD}", userDomain: Default }
    project: { name: other, domain: Default }
    mode: enforce
`;

const run = promisify(execFile);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Returns documents with two /24 subnets and two servers in each network. */
function desired(networks) {
  const numbers = Array.from({ length: networks }, (_, at) => at);
  const cidr = (at, half) => `10.${(at * 2 + half) >> 8}.${(at * 2 + half) & 255}.0/24`;
  return [
    "target: cloud",
    "scope: project",
    "config:",
    "  networks:",
    ...numbers.map((at) => `    net-${at}: { subnets: { net-${at}-a: { cidr: ${cidr(at, 0)} }, net-${at}-b: { cidr: ${cidr(at, 1)} } } }`),
    "  servers:",
    ...numbers.flatMap((at) =>
      ["a", "b"].map((half) => `    srv-${at}-${half}: { image: cirros, flavor: m1.tiny, networks: [{ network: net-${at} }] }`),
    ),
    "",
  ].join("\n");
}

async function withProject(networks, work) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-cloud-"));
  const lab = await startOpenstackLab({ ports: "free", compute: { buildDuration: 0 } });
  try {
    liftQuotas(lab);
    mkdirSync(join(folder, "cloud"));
    writeFileSync(join(folder, "plumbline.yaml"), CONFIGURATION.replace("${env:BENCH_AUTH_URL}", lab.authUrl));
    writeFileSync(join(folder, "cloud", "main.yaml"), desired(networks));
    const git = (...words) => execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@example.net", ...words]);
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "bench");
    const environment = {
      ...{ PATH: process.env.PATH, HOME: folder, PLUMBLINE_STATE_DIR: `${folder}/.state` },
      ...{ BENCH_USER: "other", BENCH_PASSWORD: "secret" },
    };
    const command = async (...words) => {
      const before = lab.journal.length;
      const { stdout } = await run(process.execPath, [RUNNER, folder, ...words], { env: environment, cwd: folder, maxBuffer: 1 << 26 });
      const measured = JSON.parse(stdout);
      if (measured.code !== 0) throw new Error(`${words.join(" ")} ended with ${measured.code}\n${measured.output}`);
      return { ...measured, requests: lab.journal.slice(before) };
    };
    return await work(command);
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function liftQuotas(lab) {
  const project = lab.world.identity.projectNamed("other").id;
  const network = { quota: { network: -1, subnet: -1, port: -1 } };
  lab.act({ service: "network", method: "PUT", path: `/v2.0/quotas/${project}`, body: network });
  lab.world.compute.setLimits(project, { instances: -1, cores: -1, ram: -1 });
}

const ms = (value) => `${Math.round(value)} ms`;
const rows = [];
for (const networks of sizes) {
  const { made, plans } = await withProject(networks, async (command) => {
    const made = await command("reconcile", "--yes");
    const plans = [];
    for (let at = 0; at < RUNS; at += 1) plans.push(await command("plan"));
    return { made, plans };
  });
  const { requests } = plans[0];
  // A request for "/" reads the versions of a service.
  const lists = requests.filter(({ method, service, path }) => method === "GET" && service !== "identity" && path !== "/");
  rows.push(
    `| ${networks} | ${2 * networks} | ${2 * networks} | ${requests.length} | ${lists.length} | ${ms(median(plans.map(({ total }) => total)))} | ${ms(median(plans.map(({ total, waiting }) => total - waiting)))} | ${ms(median(plans.map(({ processor }) => processor)))} | ${made.requests.length} | ${ms(made.total)} |`,
  );
}

const lines = [
  `Medians of ${RUNS} plans without changes, each in a process of its own. Own time: total without the time spent waiting for replies.`,
  "",
  "| networks | subnets | servers | requests of a plan | list requests | total | own time | CPU time | requests of the first reconcile | its time |",
  "|---|---|---|---|---|---|---|---|---|---|",
  ...rows,
];
const results = fileURLToPath(new URL("results", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, "openstack.md"), `${lines.join("\n")}\n`);
process.stdout.write(`${lines.join("\n")}\n`);
