// Compares loading and checking about 10 MB of desired state with parsing the same text with js-yaml.
// Usage: npm run build && node --expose-gc bench/yaml.mjs [megabytes]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { loadDesired } from "../dist/desired/load.js";
import { panosKind } from "../dist/targets/panos/kind.js";
import { addresses, DOCUMENT_HEAD, rules } from "./yaml-text.mjs";

const RUNS = 9;
const size = Number(process.argv[2] ?? 10) * 1_000_000;
const kinds = new Map([["panos", panosKind]]);

function oneFile() {
  const half = size / 2;
  return [["policy.yaml", `${DOCUMENT_HEAD}config:\n${addresses(0, half)}${rules(half)}`]];
}

function manyFiles() {
  const each = 10_000;
  const files = [["rules.yaml", `${DOCUMENT_HEAD}config:\n${rules(size / 2)}`]];
  for (let made = 0, number = 0; made < size / 2; made += each, number++) {
    files.push([`addresses-${number}.yaml`, `${DOCUMENT_HEAD}config:\n${addresses(number * 1_000_000, each)}`]);
  }
  return files;
}

async function measure(name, files) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-yaml-"));
  mkdirSync(join(folder, "edge"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: bench\ndocuments: [edge]\ntargets: { edge: { kind: panos, url: 'https://192.0.2.1' } }\n",
  );
  for (const [file, text] of files) writeFileSync(join(folder, "edge", file), text);
  const bytes = files.reduce((sum, [, text]) => sum + text.length, 0);
  const ours = [];
  const theirs = [];
  for (let run = 0; run < RUNS; run++) {
    globalThis.gc?.();
    let start = performance.now();
    for (const file of readdirSync(join(folder, "edge"))) load(readFileSync(join(folder, "edge", file), "utf8"));
    theirs.push(performance.now() - start);
    globalThis.gc?.();
    start = performance.now();
    await loadDesired(join(folder, "plumbline.yaml"), { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });
    ours.push(performance.now() - start);
  }
  rmSync(folder, { recursive: true });
  const [us, them] = [median(ours), median(theirs)];
  console.log(
    `${name}: ${(bytes / 1e6).toFixed(1)} MB in ${files.length} file(s) · js-yaml load ${them.toFixed(0)} ms · loadDesired ${us.toFixed(0)} ms · ratio ${(us / them).toFixed(2)}`,
  );
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

await measure("one file", oneFile());
await measure("many files", manyFiles());
