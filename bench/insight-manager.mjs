/**
 * Measures the reachability analysis of a manager's change for all of its firewalls, as ratios to parsing the manager's XML in the same run:
 *   npm run build && node --expose-gc bench/insight-manager.mjs [firewalls ..., default: 10 50 500]
 * Every tenth firewall has a local rule. Each group has one rule for a single firewall. Writes `bench/results/insight-manager.md`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { insightBetween } from "../dist/reachability/changes/format-difference.js";
import { groupByAnswer } from "../dist/reachability/questions/group-by-answer.js";
import { rulebasesOf } from "../dist/targets/panos/policy/policies.js";
import { timed } from "./timed.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 50, 500];
const GROUPS = 8;
const RULES = 200;

const members = (tag, ...names) => `<${tag}>${names.map((name) => `<member>${name}</member>`).join("")}</${tag}>`;
const rule = (name, source, port, more = "") =>
  `<entry name="${name}">${members("from", "inside")}${members("to", "any")}${members("source", source)}${members("destination", "any")}${members("application", "any")}${members("service", `tcp-${port}`)}<action>allow</action>${more}</entry>`;
const rulebase = (tag, rules) => `<${tag}><security><rules>${rules.join("")}</rules></security></${tag}>`;
const range = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const serialOf = (at) => String(8_000_000 + at);

/** Returns a manager with eight groups. All except the first two have a parent group. `extra` is a rule of `shared`. */
function manager(firewalls, extra = "") {
  const own = (group) => range(firewalls, (at) => at).filter((at) => at % GROUPS === group);
  const services = range(RULES, (at) => `<entry name="tcp-${at + 1}"><protocol><tcp><port>${at + 1}</port></tcp></protocol></entry>`);
  const addresses = range(RULES, (at) => `<entry name="net-${at}"><ip-netmask>10.${at}.0.0/16</ip-netmask></entry>`);
  const targeted = (group) =>
    own(group)
      .slice(0, 1)
      .map((at) => rule(`of one ${group}`, "any", 7, `<target><devices><entry name="${serialOf(at)}"/></devices></target>`));
  const groups = range(GROUPS, (group) => {
    const rules = range(RULES, (at) => rule(`g${group} r${at}`, `net-${(at * 7 + group) % RULES}`, ((at * 13) % RULES) + 1));
    const devices = own(group)
      .map((at) => `<entry name="${serialOf(at)}"/>`)
      .join("");
    return `<entry name="g${group}"><devices>${devices}</devices>${rulebase("pre-rulebase", [...targeted(group), ...rules])}</entry>`;
  });
  const parents = range(GROUPS, (group) => (group < 2 ? "" : `<entry name="g${group}"><parent-dg>g${group - 2}</parent-dg></entry>`));
  const stacks = range(
    GROUPS,
    (group) =>
      `<entry name="s${group}"><templates>${"<member>t</member>"}</templates><devices>${own(group)
        .map(
          (at) =>
            `<entry name="${serialOf(at)}"><variable><entry name="$ip"><type><ip-netmask>10.0.${group}.${at % 250}/24</ip-netmask></type></entry></variable></entry>`,
        )
        .join("")}</devices></entry>`,
  );
  const template = `<entry name="t"><config><devices><entry name="localhost.localdomain"><network><interface><ethernet><entry name="ethernet1/1"><layer3><ip><entry name="$ip"/></ip></layer3></entry></ethernet></interface></network><vsys><entry name="vsys1"><zone><entry name="inside"><network><layer3><member>ethernet1/1</member></layer3></network></entry></zone></entry></vsys></entry></devices></config></entry>`;
  const local = (at) => (at % 10 === 0 ? rulebase("rulebase", [rule(`local ${at}`, "any", (at % RULES) + 1)]) : "");
  const asked = range(
    firewalls,
    (at) =>
      `<entry name="${serialOf(at)}"><hostname>fw-${at}</hostname><config><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${local(at)}</entry></vsys></entry></devices></config></entry>`,
  );
  return `<config><shared><address>${addresses.join("")}</address><service>${services.join("")}</service>${rulebase("pre-rulebase", extra === "" ? [] : [extra])}</shared><devices><entry name="localhost.localdomain"><device-group>${groups.join("")}</device-group><template>${template}</template><template-stack>${stacks.join("")}</template-stack></entry></devices><readonly><devices><entry name="localhost.localdomain"><device-group>${parents.join("")}</device-group></entry></devices></readonly><firewalls>${asked.join("")}</firewalls></config>`;
}

function insight(before, after) {
  const rulebases = rulebasesOf([before, after]);
  const judged = rulebases.map((rulebase) => {
    const { scope, firewalls, isSame, size } = rulebase;
    if (isSame) return { scope, firewalls, rules: size, rows: [] };
    const [one, other] = rulebase.policies();
    return { ...insightBetween(one, other), scope, firewalls };
  });
  return { compiled: rulebases.filter(({ isSame }) => !isSame).length, all: rulebases.length, answers: groupByAnswer(judged).length };
}

const rows = sizes.flatMap((firewalls) => {
  const xml = manager(firewalls);
  parseXml(Buffer.from(xml));
  const parse = timed(() => parseXml(Buffer.from(xml)));
  const before = parse.result;
  const shared = parseXml(Buffer.from(manager(firewalls, rule("no telnet", "net-3", 23).replace("allow", "deny"))));
  const one = parseXml(Buffer.from(xml.replace('name="g7 r5"', 'name="g7 r5 again"')));
  return [
    ["a rule of shared", shared],
    ["a rule of one group without groups below", one],
  ].map(([what, after]) => {
    const { milliseconds, result } = timed(() => insight(before, after));
    const row = `| ${firewalls} | ${what} | ${milliseconds.toFixed(0)} ms | ${(milliseconds / parse.milliseconds).toFixed(1)} | ${result.compiled} of ${result.all} | ${result.answers} |`;
    console.log(row);
    return row;
  });
});
const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
const head = "| firewalls | change | CPU time | against the parse | policies judged | answers |\n|---|---|---|---|---|---|";
mkdirSync(here("results"), { recursive: true });
writeFileSync(
  here("results/insight-manager.md"),
  `### Insight of a manager\n\n\`node --expose-gc bench/insight-manager.mjs\` on ${machine}, on a shared machine: CPU time, one run. ${RULES} rules in each of ${GROUPS} groups.\n\n${head}\n${rows.join("\n")}\n`,
);
