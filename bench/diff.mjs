// Two trees compared, 1 % of the entries changed, beside the time to parse the live one; and the choice of writes.
// Usage: npm run build && node --expose-gc bench/diff.mjs [entries...]

import { parseXml } from "../dist/core/tree/xml/parse.js";
import { DesiredNode } from "../dist/desired/model.js";
import { chooseFragments } from "../dist/plan/cost.js";
import { diff } from "../dist/plan/diff.js";
import { panosShape } from "../dist/targets/panos/shape.js";
import { generateXml } from "./generate.mjs";

const RUNS = 9;
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 100_000];

/** The live tree as desired state: places open, lists exclusive, entries whole. */
function toDesired(node, closed) {
  const isPlace = !closed && (node.name !== undefined || ["config", "devices", "vsys"].includes(node.tag));
  const below = closed || ["address", "rules"].includes(node.tag);
  const children = node.children.map((child) => toDesired(child, below));
  return new DesiredNode(node.tag, node.name, node.text, children, { origin: -1, prunes: below, declared: !isPlace });
}

/** One entry in a hundred of the live tree changed, gone, new, or (rules) moved, in turn. */
function mutate(node, ordered) {
  const entries = [...node.children];
  for (let i = 0, turn = 0; i < entries.length; i += 100, turn += 1) {
    const entry = entries[i];
    if (entry === undefined) continue;
    if (turn % 4 === 0) entry.children[entry.children.length - 1].text += "x";
    else if (turn % 4 === 1) entries[i] = undefined;
    else if (turn % 4 === 2)
      entries.splice(i, 0, Object.assign(parseXml("<entry name='x'><fqdn>new</fqdn></entry>"), { name: `new ${i}` }));
    else if (ordered && i + 50 < entries.length) entries.splice(i + 50, 0, ...entries.splice(i, 1));
    else entry.children[0].text += "x";
  }
  node.children = entries.filter((entry) => entry !== undefined);
}

function listsOf(root) {
  const vsys = root.children.find((child) => child.tag === "devices").children[0].children.find((child) => child.tag === "vsys")
    .children[0];
  const address = vsys.children.find((child) => child.tag === "address");
  const rulebase = vsys.children.find((child) => child.tag === "rulebase");
  return { address, rules: rulebase.children[0].children[0] };
}

function measure(label, xml, entries) {
  const bytes = Buffer.from(xml);
  const times = { parse: [], diff: [], ledger: [], same: [], choose: [] };
  const desired = toDesired(parseXml(bytes), false);
  const ledger = ledgerOf(parseXml(bytes));
  let result;
  let fragments;
  for (let run = 0; run < RUNS; run += 1) {
    globalThis.gc?.();
    const live = timed(times.parse, () => parseXml(bytes));
    const input = { desired, live, shape: panosShape(), secretState: () => "equal" };
    timed(times.same, () => diff(input));
    const lists = listsOf(live);
    mutate(lists.address, false);
    mutate(lists.rules, true);
    globalThis.gc?.();
    result = timed(times.diff, () => diff(input));
    timed(times.ledger, () => diff({ ...input, ledger }));
    fragments = timed(times.choose, () =>
      chooseFragments({ diff: result, desired, live, shape: panosShape(), rewriteLists: "allowed", atomicBatch: true, rename: true }),
    );
  }
  const [parse, same, changed, owned, choose] = [times.parse, times.same, times.diff, times.ledger, times.choose].map(median);
  console.log(
    `${label} ${entries} entries, ${(bytes.length / 1e6).toFixed(1)} MB: parse ${ms(parse)} · equal ${ms(same)} · 1 % changed ${ms(changed)} (${(changed / parse).toFixed(2)} of parse)` +
      ` · with a ledger ${ms(owned)} · ${result.changes.length} changes, ${fragments.length} writes chosen in ${ms(choose)}`,
  );
}

function ledgerOf(root) {
  const { address, rules } = listsOf(root);
  const rows = (list, path) => list.children.map((entry) => `${VSYS}/${path}/entry[@name='${entry.name}']`);
  return [...rows(address, "address"), ...rows(rules, "rulebase/security/rules")].sort();
}

function timed(into, work) {
  const start = performance.now();
  const result = work();
  into.push(performance.now() - start);
  return result;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}

for (const entries of sizes) {
  measure("addresses", generateXml({ addresses: entries, rules: 0, services: 10, groups: 10 }), entries);
}
for (const entries of sizes.map((size) => size / 5)) {
  measure("rules", generateXml({ addresses: 10, rules: entries, services: 10, groups: 2 }), entries);
}
