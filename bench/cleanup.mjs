/**
 * Measures `lint --fix` on generated firewalls, as seconds after the configuration was read:
 *   npm run build && node --expose-gc bench/cleanup.mjs [rules ..., default: 1000 10000]
 * Every 20th rule has a copy below it, and every 20th a narrower rule above it. Every 10th rule was not used.
 * Uses the CPU time of one process (user and system), because the machine is shared.
 */
import { cloneTree } from "../dist/core/tree/edit/edit-tree.js";
import { find } from "../dist/core/tree/lookup.js";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { parsePath } from "../dist/core/tree/xpath/xpath.js";
import { cleanUpRulebase } from "../dist/engine/access/clean-up-rulebase.js";
import { panosDesigner } from "../dist/targets/panos/access/designer.js";
import { rulebasesOf } from "../dist/targets/panos/policy/policies.js";
import { generateXml } from "./generate.mjs";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000];
const RULES = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules");

function narrower(rule) {
  const copy = cloneTree(rule, `${rule.name}-narrow`);
  for (const list of copy.children) if (["source", "destination"].includes(list.tag)) list.children = list.children.slice(0, 1);
  return copy;
}

function withFindings(tree) {
  const rules = find(tree, RULES);
  rules.children = rules.children.flatMap((rule, at) => {
    if (at % 20 === 0) return [rule, cloneTree(rule, `${rule.name}-copy`)];
    return at % 20 === 10 ? [narrower(rule), rule] : [rule];
  });
  return rules.children.map(({ name }) => name);
}

for (const rules of sizes) {
  const tree = parseXml(generateXml({ rules, addresses: rules * 2, groups: Math.max(2, rules / 25), compact: true }));
  const names = withFindings(tree);
  const hits = names.map((rule, at) => ({ rule, count: at % 10, since: 1, last: at % 10 === 0 ? undefined : 1000 }));
  const base = {
    context: { name: "edge", desired: { assertions: [] }, configuration: { kind: "panos" }, settings: {} },
    tree,
    declared: tree,
    options: {},
    designer: panosDesigner,
    reader: { rulebases: rulebasesOf },
    target: { counters: { ruleHits: async () => hits } },
  };
  const [rulebase] = rulebasesOf([tree]);
  const question = { unused: { since: 500 }, disable: false, deleteAfter: 30, acceptExcess: false, today: "2026-11-29" };
  globalThis.gc();
  const start = process.cpuUsage();
  const { report } = await cleanUpRulebase(base, rulebase, question);
  const { user, system } = process.cpuUsage(start);
  const kinds = {};
  for (const { kind } of report.steps) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const kept = {};
  for (const { kind } of report.kept) kept[kind] = (kept[kind] ?? 0) + 1;
  console.log(
    `${rules} rules: ${((user + system) / 1_000_000).toFixed(1)} s, steps ${JSON.stringify(kinds)}, kept ${JSON.stringify(kept)}`,
  );
}
