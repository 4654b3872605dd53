/**
 * Measures the expressions of `plumbline get` on device XML, compared with parsing, and with the xpath package on an xmldom document.
 *   npm run build && node bench/xpath.mjs [runs, default: 9]
 * Every run parses the document and evaluates all expressions in one process. The results are medians. The time of the package grows with the
 * square of the result, so it is measured on a fortieth of the size. Writes `bench/results/xpath.md`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { DOMParser } from "@xmldom/xmldom";
import xpath from "xpath";
import { Query } from "../dist/core/tree/query/query.js";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { generateXml } from "./generate.mjs";

const rounds = Number(process.argv[2] ?? 9);

const EXPRESSIONS = [
  "count(//*)",
  "//entry[@name]",
  "count(//entry)",
  "//address/entry[starts-with(ip-netmask, '10.1')]",
  "//rules/entry[source/member = 'any'][action = 'allow']",
  "//rules/entry[last()]/preceding-sibling::entry[1]",
  "count(//rules/entry[last()]/preceding-sibling::entry)",
  "//entry[not(preceding-sibling::entry)]",
  "//rules/entry[destination/member = //address/entry/@name]/@name",
  "//address/entry[not(@name = //rules//member) and not(@name = //address-group//member)]/@name",
  "//rules/entry[position() mod 2 = 0]",
  "//member/ancestor::entry",
  "//rules | //address",
];
const BOUNDED = [
  "//address/entry[ip-netmask = preceding-sibling::entry/ip-netmask]",
  "//member[. > //address/entry/@name]",
  "count(//*/preceding::*)",
];

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function timed(work) {
  globalThis.gc?.();
  const start = process.hrtime.bigint();
  const result = work();
  return { milliseconds: Number(process.hrtime.bigint() - start) / 1e6, result };
}

const size = (result) => (typeof result === "object" ? result.length : result);

/** Returns the median times of `parse`, and of each expression that `ask` evaluates on the parsed document. */
function measure(parse, ask, expressions, runs) {
  const parsing = [];
  const asking = new Map(expressions.map((text) => [text, []]));
  const found = new Map();
  for (let run = 0; run <= runs; run++) {
    const { milliseconds, result: tree } = timed(parse);
    if (run > 0) parsing.push(milliseconds);
    for (const text of expressions) {
      const one = timed(() => ask(text, tree));
      found.set(text, size(one.result));
      if (run > 0) asking.get(text).push(one.milliseconds);
    }
  }
  return { parse: median(parsing), ask: new Map([...asking].map(([text, times]) => [text, median(times)])), found };
}

const cell = (text) => `\`${text.replaceAll("|", "\\|")}\``;
const ms = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const large = Buffer.from(generateXml({ addresses: 20_000, rules: 4000 }));
const small = Buffer.from(generateXml({ addresses: 500, rules: 100 }));
const ask = (text, tree) => new Query(text).evaluate(tree);
const ours = measure(() => parseXml(large), ask, EXPRESSIONS, rounds);
const oursSmall = measure(() => parseXml(small), ask, EXPRESSIONS, rounds);
const theirs = measure(
  () => new DOMParser().parseFromString(small.toString(), "text/xml"),
  (text, document) => xpath.select(text, document.documentElement),
  EXPRESSIONS,
  1,
);
for (const text of EXPRESSIONS) {
  if (oursSmall.found.get(text) !== theirs.found.get(text))
    throw new Error(`${text}: ${oursSmall.found.get(text)} and ${theirs.found.get(text)}`);
}

const rows = EXPRESSIONS.map((text) => {
  const ratio = ours.ask.get(text) / ours.parse;
  const package_ = theirs.ask.get(text) / oursSmall.ask.get(text);
  return `| ${cell(text)} | ${ours.found.get(text)} | ${ms(ours.ask.get(text))} ms | ${ratio.toFixed(2)} | ${ms(oursSmall.ask.get(text))} ms | ${ms(theirs.ask.get(text))} ms | ${package_.toFixed(0)} |`;
});
const tree = parseXml(large);
const bounded = BOUNDED.map((text) => {
  const { milliseconds, result } = timed(() => {
    try {
      return `${size(ask(text, tree))} found`;
    } catch (error) {
      return `${error.code}: ${error.message}`;
    }
  });
  return `| ${cell(text)} | ${ms(milliseconds)} ms | ${result} |`;
});

const megabytes = (bytes) => (bytes.length / 1e6).toFixed(1);
const text = `### Expressions

\`node --expose-gc bench/xpath.mjs ${rounds}\` on ${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}: medians of ${rounds} runs.
Parsing ${megabytes(large)} MB took ${ms(ours.parse)} ms; ${megabytes(small)} MB took ${ms(oursSmall.parse)} ms, by xmldom ${ms(theirs.parse)} ms.

| expression | results | on ${megabytes(large)} MB | relative to parsing | on ${megabytes(small)} MB | the package on xmldom | ratio |
|---|---|---|---|---|---|---|
${rows.join("\n")}

Stopped at the limit of visited nodes:

| expression | after | result |
|---|---|---|
${bounded.join("\n")}
`;
const folder = fileURLToPath(new URL("results", import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/xpath.md`, text);
console.log(text);
