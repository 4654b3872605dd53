import type { Operation } from "../../../src/core/operation.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { DesiredNode } from "../../../src/desired/model.js";

/** A firewall with one address, one foreign rule, and something in shared. */
export const BARE = [
  "<config><devices><entry name='localhost.localdomain'>",
  "<deviceconfig><system><hostname>fw</hostname></system></deviceconfig>",
  "<vsys><entry name='vsys1'><address><entry name='theirs'><ip-netmask>192.0.2.9</ip-netmask></entry></address>",
  "<rulebase><security><rules><entry name='deny-all'><from><member>any</member></from><to><member>any</member></to>",
  "<source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application>",
  "<service><member>any</member></service><action>deny</action></entry></rules></security></rulebase></entry></vsys></entry></devices>",
  "<shared><address><entry name='common'><ip-netmask>192.0.2.1</ip-netmask></entry></address></shared></config>",
].join("");

export const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
export const ADDRESS = `${VSYS}/address`;

/** A document that wants these addresses of vsys1. */
export function addresses(wanted: Readonly<Record<string, string>>): string {
  const rows = Object.entries(wanted).map(([name, ip]) => `    ${name}: { ip-netmask: ${ip} }\n`);
  return `target: edge\nscope: vsys1\nconfig:\n  address:\n${rows.join("")}`;
}

/** Another administrator sets an address in some list. */
export function setAddress(list: string, name: string, ip: string): Operation {
  const element = new TreeNode("entry", name, "", [new TreeNode("ip-netmask", undefined, ip)]);
  return { action: "set", at: parsePath(list), element };
}

/** Another administrator adds a member to some list. */
export function setMember(list: string, text: string): Operation {
  return { action: "set", at: parsePath(list), element: new TreeNode("member", undefined, text) };
}

/** Addresses of a list by name, in order. */
export function addressesOf(root: TreeNode | DesiredNode, list = ADDRESS): Record<string, string> {
  const entries = find(root, parsePath(list))?.children ?? [];
  return Object.fromEntries(entries.map((entry) => [entry.name ?? "", entry.children.map((child) => child.text).join(" ")]));
}

/** Declares these addresses, and one rule from `source` below the rules that others manage. */
export function policy(wanted: Readonly<Record<string, string>>, source: string): string {
  const rule = `{ name: allow, from: [any], to: [any], source: [${source}], destination: [any], application: [any], service: [any], action: allow }`;
  const rules = `  rulebase:\n    security:\n      rules:\n        $position: bottom\n        $entries:\n          - ${rule}\n`;
  return `${addresses(wanted).replace("config:", "owns: { rulebase/security/rules: shared }\nconfig:")}${rules}`;
}
