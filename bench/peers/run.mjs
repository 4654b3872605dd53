/**
 * Compares Plumbline with other tools on one lab: Terraform with the vendor's provider (followed by a commit), pan-os-python in a bare
 * script, in one that locks, validates and reads back, and in one with each check of docs/contributing/requests.md; for a cloud Terraform
 * and openstacksdk. Reports wall seconds, processor seconds of the tool and its child processes, and requests and connections as counted by
 * a proxy of this script.
 *
 *   npm run package && bench/peers/install
 *   PLUMBLINE_CLI=release/package/dist/cli.js node bench/peers/run.mjs [--bound 120] [--networks 300] [objects...]
 *
 * Each tool has its own lab that starts empty. The tools run in turn, once each: create everything, find no change, change one object in a
 * hundred. A tool that took more than a third of the bound at one size is skipped at the next size. Everything is on the loopback address;
 * jobs of the lab take 50 ms. PLUMBLINE_CLI is the installed command; without it the script uses `dist`, which opens one file for each
 * source. Peers are searched in $PLUMBLINE_PEERS (default /tmp/plumbline-peers). Writes `bench/results/peers.md`.
 */
import { execFile, execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startLab } from "../../dist/lab/lab.js";
import { startOpenstackLab } from "../../dist/lab/openstack/start.js";
import { makeCertificate } from "../../dist/lab/panos/http/certificate.js";
import { command as COMMAND } from "../command.mjs";
import { countingProxy } from "./count.mjs";

const text = { type: "string" };
const { values, positionals } = parseArgs({ options: { bound: text, networks: text }, allowPositionals: true });
const sizes = positionals.length > 0 ? positionals.map(Number) : [10, 100, 1_000, 10_000];
const bound = Number(values.bound ?? 120);
const networks = Number(values.networks ?? 300);
const PEERS = process.env.PLUMBLINE_PEERS ?? "/tmp/plumbline-peers";
const PYTHON = join(PEERS, "venv/bin/python");
const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);

/** Compiles the programs of all tools before the runs, as Python compiles its packages. */
const cache = mkdtempSync(join(tmpdir(), "plumbline-peers-cache-"));

const EMPTY = `<config version="11.1.0"><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"/></vsys></entry></devices></config>`;

/** Runs a command until it ends. Throws if it fails. */
async function measured(folder, environment, words, codes = [0]) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CACHE_HOME: cache,
    PYTHONWARNINGS: "ignore",
    CHECKPOINT_DISABLE: "1",
    ...environment,
  };
  const options = { env, cwd: folder, maxBuffer: 1 << 26 };
  const { stdout } = await run("python3", [script("measure.py"), String(bound), ...words], options);
  const result = JSON.parse(stdout);
  if (result.code !== "bound" && !codes.includes(result.code))
    throw new Error(`${words.join(" ")} ended with ${result.code}\n${result.output}`);
  return result;
}

/** Returns addresses by name. If `changed`, one in a hundred has another value. */
function addresses(count, changed = false) {
  const value = (at) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const entries = Array.from({ length: count }, (_, at) => [
    `a-${at}`,
    changed && at % 100 === 0 ? `192.0.2.${(at / 100) % 250}` : value(at),
  ]);
  return Object.fromEntries(entries);
}

function terraformFolder(folder, name, binary) {
  const file = join(folder, "terraformrc");
  writeFileSync(file, `provider_installation {\n  dev_overrides { "${name}" = "${join(PEERS, "bin", binary)}" }\n  direct {}\n}\n`);
  return { TF_CLI_CONFIG_FILE: file, TF_IN_AUTOMATION: "1" };
}

function repository(folder, target, document) {
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: bench\ndocuments: [documents]\ntargets:\n${target}`);
  mkdirSync(join(folder, "documents"), { recursive: true });
  const git = (...words) => execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@example.net", ...words]);
  if (!existsSync(join(folder, ".git"))) git("init", "-q");
  writeFileSync(join(folder, "documents", "main.yaml"), document);
  git("add", "documents", "plumbline.yaml");
  git("commit", "-q", "-m", "bench");
}

/** Each tool: its requirements, the form of its desired state, and its commands to apply and to check. */
const FIREWALL = {
  Plumbline: {
    needs: [],
    want({ folder, port, pin }, wanted) {
      const credentials = '{ username: admin, password: "${env:BENCH_PASSWORD}" }';
      const target = `  edge: { kind: panos, url: "https://127.0.0.1:${port}", credentials: ${credentials}, tls: { pin: "${pin}" }, mode: enforce }\n`;
      const lines = Object.entries(wanted).map(([name, value]) => `    ${name}: { ip-netmask: ${value} }`);
      repository(folder, target, `target: edge\nscope: vsys1\nconfig:\n  address:\n${lines.join("\n")}\n`);
    },
    environment: () => ({ BENCH_PASSWORD: "admin" }),
    write: () => [[process.execPath, COMMAND, "reconcile", "--yes"]],
    look: () => [[process.execPath, COMMAND, "plan"]],
  },
  "Terraform 1.11, provider 1.11, commit": {
    needs: [join(PEERS, "bin/panos/terraform-provider-panos"), PYTHON],
    want({ folder, port }, wanted) {
      const resources = Object.entries(wanted).map(
        ([name, value]) => `resource "panos_address_object" "${name}" {\n  name  = "${name}"\n  value = "${value}"\n}`,
      );
      const head = `terraform {\n  required_providers {\n    panos = { source = "paloaltonetworks/panos" }\n  }\n}\nprovider "panos" {\n  hostname = "127.0.0.1"\n  port     = ${port}\n  username = "admin"\n  password = "admin"\n}`;
      writeFileSync(join(folder, "main.tf"), `${[head, ...resources].join("\n")}\n`);
      writeFileSync(join(folder, "wanted.json"), "{}");
    },
    environment: ({ folder }) => terraformFolder(folder, "paloaltonetworks/panos", "panos"),
    write: ({ port }) => [
      ["terraform", "apply", "-no-color", "-auto-approve"],
      [PYTHON, script("firewall.py"), String(port), "commit", "wanted.json"],
    ],
    look: () => [["terraform", "plan", "-no-color", "-detailed-exitcode"]],
  },
  "pan-os-python, bare": python("bare"),
  "pan-os-python, careful": python("careful"),
  "pan-os-python, each of our checks": python("checked"),
};

function python(way) {
  const words = ({ port }) => [[PYTHON, script("firewall.py"), String(port), way, "wanted.json"]];
  const want = ({ folder }, wanted) => writeFileSync(join(folder, "wanted.json"), JSON.stringify(wanted));
  return { needs: [PYTHON], want, environment: () => ({}), write: words, look: words };
}

const CLOUD = {
  Plumbline: {
    needs: [],
    want({ folder, authUrl }, count) {
      const credentials = '{ username: "${env:OS_USERNAME}", password: "${env:OS_PASSWORD}", userDomain: Default }';
      const target = `  cloud: { kind: openstack, url: "${authUrl}", credentials: ${credentials}, project: { name: other, domain: Default }, mode: enforce }\n`;
      const lines = Array.from(
        { length: count },
        (_, at) => `    net-${at}: { subnets: { net-${at}: { cidr: 10.${at >> 8}.${at & 255}.0/24 } } }`,
      );
      repository(folder, target, `target: cloud\nscope: project\nconfig:\n  networks:\n${lines.join("\n")}\n`);
    },
    environment: () => ({}),
    write: () => [[process.execPath, COMMAND, "reconcile", "--yes"]],
    look: () => [[process.execPath, COMMAND, "plan"]],
  },
  "Terraform 1.11, provider 3.4": {
    needs: [join(PEERS, "bin/openstack/terraform-provider-openstack")],
    want({ folder }, count) {
      const source =
        'terraform {\n  required_providers {\n    openstack = { source = "terraform-provider-openstack/openstack" }\n  }\n}\nprovider "openstack" {}';
      const resources = Array.from(
        { length: count },
        (_, at) =>
          `resource "openstack_networking_network_v2" "n${at}" { name = "net-${at}" }\nresource "openstack_networking_subnet_v2" "s${at}" {\n  name = "net-${at}"\n  network_id = openstack_networking_network_v2.n${at}.id\n  cidr = "10.${at >> 8}.${at & 255}.0/24"\n}`,
      );
      writeFileSync(join(folder, "main.tf"), `${[source, ...resources].join("\n")}\n`);
    },
    environment: ({ folder }) => terraformFolder(folder, "terraform-provider-openstack/openstack", "openstack"),
    write: () => [["terraform", "apply", "-no-color", "-auto-approve"]],
    look: () => [["terraform", "plan", "-no-color", "-detailed-exitcode"]],
  },
  openstacksdk: {
    needs: [PYTHON],
    want: () => undefined,
    environment: () => ({}),
    write: () => [[PYTHON, script("cloud.py"), String(networks)]],
    look: () => [[PYTHON, script("cloud.py"), String(networks)]],
  },
};

async function step(place, side, kind, environment) {
  for (const each of place.proxies) each.taken();
  const sum = { wall: 0, processor: 0, requests: 0, connections: 0, isBound: false };
  for (const words of side[kind](place)) {
    const result = await measured(place.folder, environment, words);
    sum.wall += result.wall;
    sum.processor += result.processor;
    if (result.code === "bound") return { isBound: true };
  }
  for (const each of place.proxies) {
    const { requests, connections } = each.taken();
    sum.requests += requests;
    sum.connections += connections;
  }
  return sum;
}

async function onFirewall(side, count) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-peers-"));
  const lab = await startLab({ devices: [{ config: EMPTY, jobDuration: 50 }] });
  const certificate = await makeCertificate(Date.now());
  const proxy = await countingProxy(lab.device.url, { certificate: { key: certificate.keyPem, cert: certificate.certPem } });
  try {
    // The lab uses a self-signed certificate, like a firewall. The other tools do not verify it.
    const pin = `sha256:${new X509Certificate(certificate.certPem).fingerprint256.replaceAll(":", "").toLowerCase()}`;
    const place = { folder, port: proxy.port, pin, proxies: [proxy] };
    const environment = side.environment(place);
    side.want(place, addresses(count));
    const create = await step(place, side, "write", environment);
    if (create.isBound) return { create };
    const nothing = await step(place, side, "look", environment);
    side.want(place, addresses(count, true));
    const change = await step(place, side, "write", environment);
    return { create, nothing, change };
  } finally {
    await proxy.close();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onCloud(side, count) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-peers-"));
  const lab = await startOpenstackLab({ ports: "free", compute: { buildDuration: 0 } });
  const rewritten = new Map();
  const proxies = [];
  try {
    const project = lab.world.identity.projectNamed("other").id;
    lab.act({ service: "network", method: "PUT", path: `/v2.0/quotas/${project}`, body: { quota: { network: -1, subnet: -1, port: -1 } } });
    for (const url of new Set(Object.values(lab.urls ?? {}).concat(new URL(lab.authUrl).origin))) {
      const { origin, host } = new URL(url);
      const proxy = await countingProxy(origin, { rewritten });
      rewritten.set(host, `127.0.0.1:${proxy.port}`);
      proxies.push(proxy);
    }
    const authUrl = lab.authUrl.replace(new URL(lab.authUrl).host, rewritten.get(new URL(lab.authUrl).host));
    const place = { folder, authUrl, proxies };
    const account = { OS_AUTH_URL: authUrl, OS_USERNAME: "other", OS_PASSWORD: "secret", OS_PROJECT_NAME: "other" };
    const domains = {
      OS_USER_DOMAIN_NAME: "Default",
      OS_PROJECT_DOMAIN_NAME: "Default",
      OS_IDENTITY_API_VERSION: "3",
      OS_REGION_NAME: "RegionOne",
    };
    const environment = { ...account, ...domains, ...side.environment(place) };
    side.want(place, count);
    const create = await step(place, side, "write", environment);
    return create.isBound ? { create } : { create, nothing: await step(place, side, "look", environment) };
  } finally {
    for (const each of proxies) await each.close();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const missing = ({ needs }) => needs.find((file) => !existsSync(file));

function cell(result) {
  if (result === undefined) return "–";
  if (typeof result === "string") return result;
  if (result.isBound) return `over ${bound} s`;
  const digits = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
  return `${digits(result.wall)} / ${digits(result.processor)} / ${result.requests} / ${result.connections}`;
}

async function table(sides, rounds, onOne, titles) {
  const rows = [];
  const slow = new Set();
  for (const count of rounds) {
    const results = new Map();
    for (const [name, side] of Object.entries(sides)) {
      if (missing(side) !== undefined) results.set(name, { create: "not to be had", nothing: "not to be had", change: "not to be had" });
      else if (!slow.has(name)) {
        const result = await onOne(side, count).catch((error) => {
          process.stderr.write(`${name}, ${count}: ${error.message}\n`);
          return { create: "failed", nothing: "failed", change: "failed" };
        });
        results.set(name, result);
        for (const [kind, title] of titles) process.stderr.write(`${name}, ${count}, ${title}: ${cell(result[kind])}\n`);
        if (Object.values(result).some(({ isBound, wall }) => isBound || wall > bound / 3)) slow.add(name);
      }
    }
    for (const [kind, title] of titles)
      rows.push(
        `| ${title} | ${count} | ${Object.keys(sides)
          .map((name) => cell(results.get(name)?.[kind]))
          .join(" | ")} |`,
      );
  }
  const head = Object.keys(sides);
  return [`| | objects | ${head.join(" | ")} |`, `|---|---|${head.map(() => "---|").join("")}`, ...rows.sort(byTitle(titles))];
}

const byTitle = (titles) => (a, b) =>
  titles.findIndex(([, title]) => a.includes(`| ${title} |`)) - titles.findIndex(([, title]) => b.includes(`| ${title} |`));

const warm = Object.values(FIREWALL).filter((side) => missing(side) === undefined);
for (const side of warm) await onFirewall(side, 1);

const lines = [
  `Wall s / processor s / requests / connections; one run each, sides in turn; one-minute load ${loadavg()[0].toFixed(1)} at the start. "–": not asked, since it took more than a third of ${bound} s at the size before.`,
  "",
  ...(await table(FIREWALL, sizes, onFirewall, [
    ["nothing", "nothing to do"],
    ["create", "create all"],
    ["change", "1 % changed"],
  ])),
  "",
  `A cloud, ${networks} networks with a subnet each:`,
  "",
  ...(networks === 0
    ? []
    : await table(CLOUD, [networks], onCloud, [
        ["create", "create"],
        ["nothing", "nothing to do"],
      ])),
];
const results = fileURLToPath(new URL("../results", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, "peers.md"), `${lines.join("\n")}\n`);
process.stdout.write(`${lines.join("\n")}\n`);
rmSync(cache, { recursive: true, force: true });
