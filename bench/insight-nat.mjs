/**
 * Measures the reachability analysis of a NAT change, by the number of NAT rules. One rule or every rule gets another translated address:
 *   npm run build && node --expose-gc bench/insight-nat.mjs [rules ..., default: 1000 4000 10000]
 * Prints the CPU time of one process (user and system) and its ratio to parsing the XML in the same run.
 */
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { workHere } from "../dist/reachability/changes/analysis.js";
import { rulebasesOf } from "../dist/targets/panos/policy/policies.js";
import { timed } from "./timed.mjs";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 4000, 10_000];
const member = (text) => `<member>${text}</member>`;
const entry = (name, content = "") => `<entry name="${name}">${content}</entry>`;
const ends = [
  ["out", "ethernet1/1", "203.0.0.1/16"],
  ["in", "ethernet1/2", "10.0.0.1/8"],
];
const interfaces = ends.map(([, name]) => member(name)).join("");
const network = [
  `<interface><ethernet>${ends.map(([, name, address]) => entry(name, `<layer3><ip>${entry(address)}</ip></layer3>`)).join("")}</ethernet></interface>`,
  `<virtual-router>${entry("default", `<interface>${interfaces}</interface>`)}</virtual-router>`,
].join("");
const zones = ends.map(([zone, name]) => entry(zone, `<network><layer3>${member(name)}</layer3></network>`)).join("");
const any = ["source", "destination", "application", "service"].map((tag) => `<${tag}>${member("any")}</${tag}>`).join("");
const allow = entry("web", `<from>${member("out")}</from><to>${member("in")}</to>${any}<action>allow</action>`);

function natRule(at, target) {
  const low = `${at >> 8}.${at & 255}`;
  const match = `<from>${member("out")}</from><to>${member("out")}</to><source>${member("any")}</source><destination>${member(`203.0.${low}`)}</destination><service>any</service>`;
  return entry(
    `n${at}`,
    `${match}<destination-translation><translated-address>10.${target}.${low}</translated-address></destination-translation>`,
  );
}

function configuration(rules, isEdited) {
  const nat = Array.from({ length: rules }, (_, at) => natRule(at, isEdited(at) ? 2 : 1)).join("");
  const rulebase = `<rulebase><security><rules>${allow}</rules></security><nat><rules>${nat}</rules></nat></rulebase>`;
  const vsys = entry("vsys1", `<import><network><interface>${interfaces}</interface></network></import><zone>${zones}</zone>${rulebase}`);
  return `<config><devices>${entry("localhost.localdomain", `<network>${network}</network><vsys>${vsys}</vsys>`)}</devices></config>`;
}

async function spent(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: (user + system) / 1000 };
}

for (const rules of sizes) {
  const none = configuration(rules, () => false);
  parseXml(none);
  const parse = timed(() => parseXml(none)).milliseconds;
  for (const [what, isEdited] of [
    ["one rule", (at) => at === rules >> 1],
    ["each rule", () => true],
  ]) {
    const [rulebase] = rulebasesOf([parseXml(none), parseXml(configuration(rules, isEdited))]);
    const read = await spent(async () => ({ versions: rulebase.policies(), stage: await rulebase.landings(true) }));
    const analyzed = await spent(() => workHere.between(read.result));
    const { rows, undecided } = analyzed.result;
    const times = ({ milliseconds }) => `${milliseconds.toFixed(0)} ms (${(milliseconds / parse).toFixed(1)})`;
    console.log(`| ${rules} | ${what} | ${times(read)} | ${times(analyzed)} | ${rows.length} rows, ${undecided.length} undecided |`);
  }
}
