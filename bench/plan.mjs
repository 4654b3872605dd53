/**
 * Measures only the planner on firewalls of three sizes, compared with parsing their configuration. Also counts the requests of complete runs
 * to a lab firewall over TLS: a plan without changes, 10,000 new addresses, 1,000 reversed rules.
 *   npm run build && node --expose-gc bench/plan.mjs [addresses...]
 * There is one rule for five addresses. The journal of the lab counts the requests. Writes `bench/results/plan.md`.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../dist/cli/program.js";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { loadDesired } from "../dist/desired/load.js";
import { subtreesOf } from "../dist/engine/live.js";
import { planGuards } from "../dist/guards/registry.js";
import { startLab } from "../dist/lab/lab.js";
import { makePlan } from "../dist/plan/make-plan.js";
import { panosGuards } from "../dist/targets/panos/guards.js";
import { panosShape } from "../dist/targets/panos/shape.js";
import { kinds } from "../dist/targets/registry.js";
import { generateXml } from "./generate.mjs";
import { generateYaml } from "./generate-yaml.mjs";

const RUNS = 9;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 100_000];
const ENVIRONMENT = { ...process.env, BENCH_PASSWORD: "admin" };
const CAPABILITIES = {
  ...{ candidate: true, atomicBatch: true, move: true, rename: true, locks: true, changeList: true },
  ...{ partialCommit: true, partialRevert: true, validate: true },
  ...{ maxRequestBytes: 5_000_000, maxBatchOperations: 10_000, maxPendingChanges: undefined },
};

/** Runs `work` with a folder that contains a configuration and one document. */
async function withRepository(yaml, work) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-plan-"));
  try {
    mkdirSync(join(folder, "edge"));
    writeFileSync(join(folder, "edge", "vsys1.yaml"), yaml);
    writeFileSync(
      join(folder, "plumbline.yaml"),
      'format: 1\nowner: bench\ndocuments: [edge]\ntargets:\n  edge:\n    kind: panos\n    url: https://127.0.0.1:1\n    credentials: { username: admin, password: "${env:BENCH_PASSWORD}" }\n    mode: enforce\n    timeout: 120\n',
    );
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function load(folder) {
  return loadDesired(join(folder, "plumbline.yaml"), { environment: ENVIRONMENT, kinds, today: "2026-01-01", resolveSecrets: false });
}

function planInput(desired, guards, live) {
  return {
    ...{ desired, candidate: live, running: live, shape: panosShape(), capabilities: CAPABILITIES },
    ...{ ledger: { state: "missing" }, foreignLedgers: new Map(), guards, kindGuards: panosGuards },
    ...{ allow: new Map(), allowEmptyLive: [], rewriteLists: "never", approve: "none", foreignChanges: "refuse" },
    ...{ pending: [], administrator: "admin", descends: undefined, deletedToday: 0, today: "2026-01-01" },
    ...{ rotateSecrets: false, secretState: () => "equal", only: undefined },
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function timed(into, work) {
  globalThis.gc?.();
  const start = performance.now();
  const result = work();
  into.push(performance.now() - start);
  return result;
}

/** Parses and plans in turn, and returns the medians. */
async function planner(yaml, xml) {
  return await withRepository(yaml, async (folder) => {
    const { targets, configuration } = await load(folder);
    const bytes = Buffer.from(xml);
    const times = { parse: [], plan: [] };
    let plan;
    for (let run = 0; run < RUNS; run += 1) {
      const live = timed(times.parse, () => parseXml(bytes));
      plan = timed(times.plan, () => makePlan(planInput(targets.get("edge"), configuration.guards, live), planGuards));
    }
    return { plan, parse: median(times.parse), took: median(times.plan) };
  });
}

/** Runs one command against a lab firewall with the configuration `xml`. Returns the requests that the device received. */
async function onTheWire(yaml, xml, words) {
  return await withRepository(yaml, async (folder) => {
    const lab = await startLab({ devices: [{ config: xml, jobDuration: 1 }] });
    try {
      writeFileSync(join(folder, "ca.pem"), lab.caPem);
      const { targets } = await load(folder);
      const environment = {
        ...ENVIRONMENT,
        PLUMBLINE_STATE_DIR: join(folder, "state"),
        PLUMBLINE_TARGET_EDGE_URL: lab.device.url,
        PLUMBLINE_TARGET_EDGE_CA: join(folder, "ca.pem"),
      };
      let printed = "";
      const output = { write: (text) => (printed += text) };
      const context = { environment, folder, stdout: output, stderr: output, now: () => new Date(), stop: new AbortController().signal };
      const code = await runCli(words, context);
      if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}\n${printed.slice(0, 2000)}`);
      return { requests: lab.device.state.journal, subtrees: subtreesOf(targets.get("edge"), [], undefined).length };
    } finally {
      await lab.close();
    }
  });
}

const READS = new Set(["get", "show", "complete"]);
const isConfiguration = ({ type }) => type === "config";
const reads = (requests) => requests.filter((each) => isConfiguration(each) && READS.has(each.action));
const writes = (requests) => requests.filter((each) => isConfiguration(each) && !READS.has(each.action));
const commits = (requests) => requests.filter(({ type }) => type === "commit");

function reversed(yaml) {
  const [head, ...rules] = yaml.split(/^(?= {8}- )/m);
  return [head, ...rules.reverse()].join("");
}

const ms = (value) => `${value.toFixed(1)} ms`;

async function plannerRows() {
  const rows = [];
  for (const addresses of sizes) {
    const size = { addresses, rules: addresses / 5 };
    const { plan, parse, took } = await planner(generateYaml(size), generateXml(size));
    if (plan.changes.length !== 0) throw new Error(`${plan.changes.length} changes where there should be none`);
    rows.push(
      `| nothing to do | ${addresses} addresses, ${addresses / 5} rules | ${ms(parse)} | ${ms(took)} | ${((took / addresses) * 1000).toFixed(1)} µs | 0 |`,
    );
  }
  for (const made of sizes.map((size) => size / 10)) {
    const frame = { rules: 0, groups: 0, services: 0 };
    const { plan, parse, took } = await planner(generateYaml({ ...frame, addresses: made + 10 }), generateXml({ ...frame, addresses: 10 }));
    rows.push(
      `| new addresses | ${made} | ${ms(parse)} | ${ms(took)} | ${((took / made) * 1000).toFixed(1)} µs | ${plan.operations.length} |`,
    );
  }
  for (const rules of sizes.map((size) => size / 10)) {
    const size = { addresses: 1000, rules };
    const { plan, parse, took } = await planner(reversed(generateYaml(size)), generateXml(size));
    rows.push(
      `| rules reversed | ${rules} | ${ms(parse)} | ${ms(took)} | ${((took / rules) * 1000).toFixed(1)} µs | ${plan.operations.length} |`,
    );
  }
  return rows;
}

async function wireRows() {
  const rows = [];
  const row = (title, words, { requests, subtrees }) => {
    const written = writes(requests);
    const moves = written.reduce((sum, { element }) => sum + (element?.match(/<move\b/g)?.length ?? 0), 0);
    const bytes = Math.max(0, ...written.map((each) => each.bytes));
    rows.push(
      `| ${title} | \`${words.join(" ")}\` | ${subtrees} | ${reads(requests).length} | ${written.length} | ${moves} | ${bytes} | ${commits(requests).length} | ${requests.length} |`,
    );
  };
  for (const addresses of sizes) {
    const size = { addresses, rules: addresses / 5 };
    row(`nothing to do, ${addresses} addresses`, ["plan"], await onTheWire(generateYaml(size), generateXml(size), ["plan"]));
  }
  const frame = { rules: 0, groups: 0, services: 0 };
  const added = [generateYaml({ ...frame, addresses: 10_010 }), generateXml({ ...frame, addresses: 10 })];
  row("10,000 new addresses", ["reconcile"], await onTheWire(...added, ["reconcile", "--yes"]));
  const size = { addresses: 1000, rules: 1000 };
  const turned = [reversed(generateYaml(size)), generateXml(size)];
  row("1,000 rules reversed", ["reconcile"], await onTheWire(...turned, ["reconcile", "--yes"]));
  return rows;
}

const lines = [
  `${RUNS} interleaved runs, medians; one process.`,
  "",
  "| planner only | size | parse of the live XML | plan | plan per object | operations |",
  "|---|---|---|---|---|---|",
  ...(await plannerRows()),
  "",
  "Requests in the journal of the lab after one command (reads and writes: `type=config`):",
  "",
  "| run | command | subtrees | reads | writes | moves | bytes of the largest write | commits | all requests |",
  "|---|---|---|---|---|---|---|---|---|",
  ...(await wireRows()),
];
const results = fileURLToPath(new URL("results", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, "plan.md"), `${lines.join("\n")}\n`);
process.stdout.write(`${lines.join("\n")}\n`);
