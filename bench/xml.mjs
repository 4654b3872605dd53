/**
 * Compares the time and memory of Plumbline's XML parser, fast-xml-parser (`preserveOrder`) and Python's lxml.
 *   npm run build && node bench/xml.mjs [runs, default: 9]
 * The runs alternate. Each runs in a new process, which parses twice and measures the second time. Memory is the peak resident size of one
 * parse in a new process, minus the size for `<a/>`.
 * Writes `bench/results/xml.md`. lxml is Debian's python3-lxml for /usr/bin/python3. If it is missing, its rows are omitted.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateXml } from "./generate.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const rounds = Number(process.argv[2] ?? 9);
const PYTHON = "/usr/bin/python3";

const hasLxml = (() => {
  try {
    execFileSync(PYTHON, ["-c", "import lxml.etree"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
const parsers = ["plumbline", "fast-xml-parser", ...(hasLxml ? ["lxml"] : [])];

function measure(parser, file, runs) {
  const [command, args] =
    parser === "lxml"
      ? [PYTHON, [here("xml-lxml.py"), file, runs]]
      : [process.execPath, ["--expose-gc", here("xml-run.mjs"), parser, file, runs]];
  return JSON.parse(execFileSync(command, args.map(String), { encoding: "utf8" }));
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function compare(file) {
  const times = Object.fromEntries(parsers.map((parser) => [parser, []]));
  for (let round = 0; round < rounds; round++) {
    for (const parser of parsers) times[parser].push(measure(parser, file, 2).milliseconds);
  }
  const medians = Object.fromEntries(parsers.map((parser) => [parser, median(times[parser])]));
  const memory = (parser) => (measure(parser, file, 1).peak - measure(parser, empty, 1).peak) / statSync(file).size;
  return parsers.map((parser) => ({
    parser,
    milliseconds: medians[parser],
    ratio: medians[parser] / medians.plumbline,
    bytes: median([memory(parser), memory(parser), memory(parser)]),
  }));
}

const folder = mkdtempSync(join(tmpdir(), "plumbline-xml-"));
const empty = join(folder, "empty.xml");
const sections = [];
try {
  writeFileSync(empty, "<a/>");
  const documents = [
    ["100,000 addresses, 20,000 rules, indented", {}],
    ["the same, without indentation", { compact: true }],
    ["20,000 addresses, 4,000 rules, indented", { addresses: 20_000, rules: 4000 }],
  ];
  for (const [title, options] of documents) {
    const file = join(folder, "config.xml");
    writeFileSync(file, generateXml(options));
    const rows = compare(file).map(
      ({ parser, milliseconds, ratio, bytes }) =>
        `| ${parser} | ${milliseconds.toFixed(0)} ms | ${ratio.toFixed(2)} | ${bytes.toFixed(2)} |`,
    );
    const size = (statSync(file).size / 1e6).toFixed(1);
    sections.push(
      `**${size} MB: ${title}**\n\n| parser | median | time relative to plumbline | peak bytes per byte of XML |\n|---|---|---|---|\n${rows.join("\n")}\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
const text = `### Live XML to a tree\n\n\`node bench/xml.mjs ${rounds}\` on ${machine}: ${rounds} interleaved runs, medians.\n\n${sections.join("\n")}`;
mkdirSync(here("results"), { recursive: true });
writeFileSync(here("results/xml.md"), text);
console.log(text);
