/**
 * Measures the reachability analysis for difficult rulebases, as ratios to parsing the XML in the same run. Some cases exceed its limits:
 *   npm run build && node --expose-gc bench/insight-limits.mjs [indexes of cases ..., default: all]
 * Uses the CPU time of one process (user and system), because the machine is shared. Writes `bench/results/insight-limits.md`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { compile } from "../dist/reachability/flows/compile.js";
import { differenceOf } from "../dist/reachability/flows/difference.js";
import { lint } from "../dist/reachability/flows/lint.js";
import { policiesOf } from "../dist/targets/panos/policy/policies.js";
import { timed } from "./timed.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const list = (tag, members) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const rule = (name, source, destination, action = "allow") =>
  `<entry name="${name}">${list("from", ["office"])}${list("to", ["db"])}${list("source", source)}${list("destination", destination)}` +
  `${list("application", ["any"])}${list("service", ["any"])}<action>${action}</action></entry>`;
const firewall = (addresses, groups, rules) =>
  `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><zone><entry name="office"/><entry name="db"/></zone>` +
  `<address>${addresses.join("")}</address><address-group>${groups.join("")}</address-group><rulebase><security><rules>${rules.join("")}` +
  `</rules></security></rulebase></entry></vsys></entry></devices></config>`;
const host = (name, text) => `<entry name="${name}"><ip-netmask>${text}</ip-netmask></entry>`;
const ip = (number) => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join(".");
const many = (count, of) => Array.from({ length: count }, (_, at) => of(at));

/** Uses every second address, so that no two of them form a range. */
const addresses = (count) => many(count, (at) => host(`h${at}`, ip(0x0a000000 + 2 * at)));
const named = (first, count) => many(count, (at) => `h${first + at}`);

/** Returns a wildcard with `bits` separate ignored bits, which gives 2 to the power of `bits` intervals. */
const wildcard = (at, bits) => {
  const free = many(bits, (bit) => 1 << (2 * bit + 1)).reduce((sum, bit) => sum | bit, 0) >>> 0;
  return `<entry name="w${at}"><ip-wildcard>${ip(0x0a000000 + at * 2 ** 26)}/${ip(free)}</ip-wildcard></entry>`;
};
/** Adds the setting that evaluates wildcards in the order of the rules, so that the result is defined. */
const inOrder = (xml) =>
  xml.replace(
    `<entry name="localhost.localdomain">`,
    `<entry name="localhost.localdomain"><deviceconfig><setting><management><wildcard-topdown-match-mode>yes</wildcard-topdown-match-mode></management></setting></deviceconfig>`,
  );

/** `xml(0)` and `xml(1)` are the configuration before and after a change. */
const CASES = [
  {
    name: "an axis of 200,000 addresses: 2,000 rules of 100 each, one host leaves one",
    xml: (without) =>
      firewall(
        addresses(200_000),
        [],
        many(2000, (at) => rule(`r${at}`, named(100 * at, 100).slice(at === 7 ? without : 0), [`h${(100 * at + 50) % 200_000}`])),
      ),
  },
  {
    name: "a rule of 5,000 members: 40 of them, 200,000 addresses in all, one host leaves one",
    xml: (without) =>
      firewall(
        addresses(200_000),
        [],
        many(40, (at) => rule(`r${at}`, named(5000 * at, 5000).slice(at === 7 ? without : 0), ["any"])),
      ),
  },
  {
    name: "one group of 5,000 members that 2,000 rules name, one host leaves it",
    xml: (without) =>
      firewall(
        addresses(10_000),
        [`<entry name="g">${list("static", named(0, 5000).slice(without))}</entry>`],
        many(2000, (at) => rule(`r${at}`, ["g"], [`h${5000 + at}`])),
      ),
  },
  ...[8, 11, 12, 13].map((bits) => ({
    name: `60 wildcards of ${(2 ** bits).toLocaleString("en")} intervals, one rule goes`,
    xml: (without) =>
      inOrder(
        firewall(
          many(60, (at) => wildcard(at, bits)),
          [],
          many(60, (at) => rule(`r${at}`, [`w${at}`], [`w${(at + 1) % 60}`], at % 3 === 1 ? "deny" : "allow")).slice(without),
        ),
      ),
  })),
];

function measure({ name, xml }) {
  const [before, after] = [xml(0), xml(1)];
  parseXml(before);
  const parse = timed(() => parseXml(before));
  const rows = [];
  const note = (work, { milliseconds }, found) => {
    rows.push(`| ${name} | ${work} | ${milliseconds.toFixed(0)} ms | ${(milliseconds / parse.milliseconds).toFixed(2)} | ${found} |`);
    console.log(rows.at(-1));
  };
  note("parse of the XML", parse, `${(before.length / 1e6).toFixed(1)} MB`);
  const trees = [parse.result, parseXml(after)];
  const translated = timed(() => policiesOf(trees).map(([policy]) => policy));
  note("translate both", translated, "");
  const model = timed(() => compile(translated.result));
  const boxes = model.result.policies[0].rules.reduce((sum, each) => sum + each.boxes.length, 0);
  note("compile both", model, `${boxes} boxes, ${model.result.coordinates.sizes.source} sources`);
  const changed = timed(() => differenceOf(model.result, ...model.result.policies));
  const { rows: found, undecided, exact, coarse } = changed.result;
  note(
    "difference",
    changed,
    `${found.length} rows, ${undecided.length} undecided, ${coarse.length} coarse, ${exact ? "exact" : "not exact"}`,
  );
  const linted = timed(() => lint(model.result, model.result.policies[0]));
  note("lint", linted, `${linted.result.length} findings, ${linted.result.filter(({ kind }) => kind === "undecided").length} undecided`);
  return rows;
}

const chosen = process.argv.slice(2).map(Number);
const rows = CASES.filter((_, at) => chosen.length === 0 || chosen.includes(at)).flatMap(measure);
const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
const head = "| rulebase | work | CPU time | against the parse | found |\n|---|---|---|---|---|";
const text = `### Insight for difficult rulebases\n\n\`node --expose-gc bench/insight-limits.mjs\` on ${machine}, on a shared machine: CPU time, one run.\n\n${head}\n${rows.join("\n")}\n`;
mkdirSync(here("results"), { recursive: true });
if (chosen.length === 0) writeFileSync(here("results/insight-limits.md"), text);
