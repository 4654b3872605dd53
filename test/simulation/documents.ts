import { applyOperation } from "../../src/core/apply-operation.js";
import type { Operation } from "../../src/core/operation.js";
import { cloneTree, UndoLog } from "../../src/core/tree/edit/edit-tree.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { initialOperations, ownsLines, type RulesScript, rulesLines } from "./rules.js";
import type { Entries, Script } from "./script.js";

/** The account of all runs of Plumbline, and the name of the owner. */
export const OUR_ADMIN = "netops";
/** The list that all histories are about. */
export const LIST = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address");

/** A manual change of one entry; deletes it if there is no value. */
export function byHand(name: string, value: string | undefined): Operation {
  const at = LIST.entry(name);
  if (value === undefined) return { action: "delete", at };
  return { action: "edit", at, element: new TreeNode("entry", name, "", [new TreeNode("ip-netmask", undefined, value)]) };
}

/** Returns the running configuration of a firewall before the first run. */
export function configurationWith(theirs: Entries, rules: RulesScript | undefined): TreeNode {
  const rows = Object.entries(theirs).map(([name, value]) => `<entry name="${name}"><ip-netmask>${value}</ip-netmask></entry>`);
  const vsys = `<vsys><entry name="vsys1"><address>${rows.join("")}</address></entry></vsys>`;
  const device = `<devices><entry name="localhost.localdomain">${vsys}</entry></devices>`;
  const tree = cloneTree(parseXml(Buffer.from(`<config version="11.1.0"><shared/>${device}</config>`)));
  if (rules !== undefined) for (const operation of initialOperations(rules)) applyOperation(tree, operation, new UndoLog());
  return tree;
}

const OPEN_GUARDS = "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }";
/** A commit that takes anything away is refused. */
const SHUT_GUARDS = "guards: { updates: 100%, deletes: 0%, from: 0, short: 100%, emptyList: allow }";

/** `plumbline.yaml` of a firewall. */
export function configuration(script: Pick<Script, "ledger">, isGuarded: boolean): string {
  const target = `kind: panos, url: "https://192.0.2.1", credentials: { username: ${OUR_ADMIN}, password: "\${env:PW}" }, mode: enforce, takeoverAfter: 600`;
  return configurationOf(script, target, isGuarded ? SHUT_GUARDS : OPEN_GUARDS);
}

/** `plumbline.yaml` of one target, `edge`. */
export function configurationOf({ ledger }: Pick<Script, "ledger">, target: string, guards = OPEN_GUARDS): string {
  return [
    "format: 1",
    `owner: ${OUR_ADMIN}`,
    "documents: [edge]",
    ...(ledger === "store" ? ["ledger: store"] : []),
    "targets:",
    `  edge: { ${target} }`,
    guards,
    "agent: { driftInterval: 60s, source: { interval: 30s } }",
    "",
  ].join("\n");
}

/** Returns the main document. */
export function document(entries: Entries, isProbed: boolean, rules: RulesScript | undefined): string {
  const probe = isProbed ? ["probe:", "  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }"] : [];
  const rows = Object.entries(entries).map(([name, value]) => `    ${name}: { ip-netmask: ${value} }`);
  const [owns, more] = rules === undefined ? [[], []] : [ownsLines(entries, rules), rulesLines(entries, rules)];
  return ["target: edge", "scope: vsys1", ...owns, ...probe, "config:", "  address:", ...rows, ...more, ""].join("\n");
}
