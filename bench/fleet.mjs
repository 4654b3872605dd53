// Compares two forms of a desired state for 200 firewalls at three sites: ten shared documents, and a copy of each document per firewall.
// Usage: npm run build && node bench/fleet.mjs [targets] [rounds]; PLUMBLINE_DIST measures another build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dist = process.env.PLUMBLINE_DIST ?? new URL("../dist", import.meta.url).pathname;
const { loadDesired } = await import(`${dist}/desired/load.js`);
const { kinds } = await import(`${dist}/targets/registry.js`);
const targets = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 7);
const SITES = ["zurich", "bern", "basel"];
const names = Array.from({ length: targets }, (_, i) => `fw${i}`);
const site = (i) => SITES[i % SITES.length];

const rows = (from) =>
  Array.from({ length: 50 }, (_, i) => `    h-${from}-${i}: { ip-netmask: 10.${from}.0.${i}, description: one of fifty, tag: [fleet] }`);
const rules = Array.from(
  { length: 50 },
  (_, i) =>
    `        - { name: r${i}, from: [trust], to: [untrust], source: [h-1-${i}], destination: [any], application: [ssl], service: [application-default], action: allow }`,
);
const bodies = [
  ...Array.from({ length: 6 }, (_, i) => ({
    of: "all",
    lines: ["config:", "  address:", ...rows(i)].map((line) => line.replace(/^ {4}/, "    ")),
  })),
  { of: "all", lines: ["config:", "  rulebase:", "    security:", "      rules:", ...rules] },
  ...SITES.map((name, i) => ({ of: name, lines: ["config:", "  address:", ...rows(100 + i)] })),
];

function state(kind) {
  const folder = mkdtempSync(join(tmpdir(), "bench-fleet-"));
  mkdirSync(join(folder, "state"));
  const target = (name, i) =>
    `  ${name}: { kind: panos, url: "https://192.0.2.1", credentials: { apiKey: "\${env:PW}" }, labels: { site: ${site(i)} } }`;
  writeFileSync(
    join(folder, "plumbline.yaml"),
    ["format: 1", "owner: netops", "documents: [state]", "guards: { targets: 100000 }", "targets:", ...names.map(target), ""].join("\n"),
  );
  let bytes = 0;
  let files = 0;
  const write = (name, head, lines) => {
    const text = [head, "scope: vsys1", ...lines, ""].join("\n");
    writeFileSync(join(folder, "state", name), text);
    bytes += text.length;
    files += 1;
  };
  for (const [at, { of, lines }] of bodies.entries()) {
    if (kind === "shared") write(`${at}.yaml`, of === "all" ? "targets: all" : `targets: { labels: { site: ${of} } }`, lines);
    else for (const [i, name] of names.entries()) if (of === "all" || of === site(i)) write(`${name}-${at}.yaml`, `target: ${name}`, lines);
  }
  return { folder, bytes, files, times: [], nodes: 0 };
}

const sides = { shared: state("shared"), copies: state("copies") };
const size = (node) => node.children.reduce((sum, child) => sum + size(child), 1);
for (let round = 0; round <= rounds; round++) {
  for (const side of Object.values(sides)) {
    const before = process.cpuUsage();
    const loaded = await loadDesired(join(side.folder, "plumbline.yaml"), {
      environment: { PW: "x" },
      kinds,
      today: "2026-11-22",
      resolveSecrets: true,
    });
    const { user, system } = process.cpuUsage(before);
    if (round > 0) side.times.push((user + system) / 1000);
    side.nodes = [...loaded.targets.values()].reduce((sum, { root }) => sum + size(root), 0);
  }
}
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
console.log(
  `${targets} targets, CPU ms per load, medians of ${rounds} alternating rounds\n\n| | files | KB | nodes | ms |\n|---|---|---|---|---|`,
);
for (const [name, { files, bytes, nodes, times }] of Object.entries(sides))
  console.log(`| ${name} | ${files} | ${Math.round(bytes / 1024)} | ${nodes} | ${median(times).toFixed(0)} |`);
const ratios = sides.shared.times.map((time, i) => time / sides.copies.times[i]);
console.log(
  `\nratio of shared to copies: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
);
for (const { folder } of Object.values(sides)) rmSync(folder, { recursive: true });
