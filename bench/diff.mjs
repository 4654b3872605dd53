// Measures the CPU time, including garbage collection, of diffs with 1 % changed entries and of the choice of writes, compared with parsing
// the live tree. The diffs use no ledger, a ledger with exclusive lists, and a ledger with open lists, in alternating order.
// Usage: npm run build && node --expose-gc bench/diff.mjs [entries...]

import { parseXml } from "../dist/core/tree/xml/parse.js";
import { DesiredNode } from "../dist/desired/model.js";
import { chooseFragments } from "../dist/plan/cost/choose-fragments.js";
import { diff } from "../dist/plan/diff/diff.js";
import { panosShape } from "../dist/targets/panos/shape.js";
import { generateXml } from "./generate.mjs";

const RUNS = 9;
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 100_000];

/** Converts the live tree to a desired state with complete entries. The lists are exclusive or open, containers are open. */
function toDesired(node, exclusive, closed = false) {
  const isPlace = !closed && (node.name !== undefined || ["config", "devices", "vsys"].includes(node.tag));
  const below = closed || ["address", "rules"].includes(node.tag);
  const children = node.children.map((child) => toDesired(child, exclusive, below));
  return new DesiredNode(node.tag, node.name, node.text, children, { origin: -1, prunes: exclusive ? below : closed, declared: !isPlace });
}

/** Changes one entry in a hundred: modifies, removes, adds or (rules) moves it, in turn. */
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
  const times = { parse: [], same: [], diff: [], exclusive: [], open: [], choose: [] };
  const [desired, open] = [true, false].map((exclusive) => toDesired(parseXml(bytes), exclusive));
  const ledger = ledgerOf(parseXml(bytes));
  let result;
  let fragments;
  for (let run = 0; run < RUNS; run += 1) {
    const live = timed(times.parse, () => parseXml(bytes));
    const input = { desired, live, shape: panosShape(), secretState: () => "equal" };
    timed(times.same, () => diff(input));
    const lists = listsOf(live);
    mutate(lists.address, false);
    mutate(lists.rules, true);
    const sides = [
      () => (result = timed(times.diff, () => diff(input))),
      () => timed(times.exclusive, () => diff({ ...input, ledger })),
      () => timed(times.open, () => diff({ ...input, desired: open, ledger })),
    ];
    for (let side = 0; side < sides.length; side += 1) sides[(run + side) % sides.length]();
    fragments = timed(times.choose, () =>
      chooseFragments({ diff: result, desired, live, shape: panosShape(), rewriteLists: "allowed", atomicBatch: true, rename: true }),
    );
  }
  const of = (side) =>
    `${ms(median(times[side]))} (${median(times[side].map((time, run) => time / times.parse[run])).toFixed(2)} of parse)`;
  console.log(
    `${label} ${entries} entries, ${(bytes.length / 1e6).toFixed(1)} MB: parse ${ms(median(times.parse))} · equal ${ms(median(times.same))} · 1 % changed ${of("diff")}` +
      ` · with a ledger ${of("exclusive")}, with open lists ${of("open")} · ${result.changes.length} changes, ${fragments.length} writes chosen in ${ms(median(times.choose))}`,
  );
}

/** Returns the paths of a ledger. They pass through JSON, because the loader of a ledger does the same. */
function ledgerOf(root) {
  const { address, rules } = listsOf(root);
  const rows = (list, path) => list.children.map((entry) => `${VSYS}/${path}/entry[@name='${entry.name}']`);
  const paths = [...rows(address, "address"), ...rows(rules, "rulebase/security/rules")].sort();
  return Object.keys(JSON.parse(JSON.stringify(Object.fromEntries(paths.map((path) => [path, {}])))));
}

function timed(into, work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  into.push((user + system) / 1000);
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
