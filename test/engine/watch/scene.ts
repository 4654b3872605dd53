import { canonicalText } from "../../../src/core/tree/canonical.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Flow } from "../../../src/lab/panos/traffic/flow.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import type { LabWorld } from "../apply/lab-world.js";

const rule = (name: string, source: string, action: string) =>
  `<entry name='${name}'><from><member>any</member></from><to><member>any</member></to><source><member>${source}</member></source>` +
  "<destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service>" +
  `<action>${action}</action></entry>`;

/** A firewall that lets clients in, and denies the rest. */
export const OPEN = [
  "<config><devices><entry name='localhost.localdomain'>",
  "<deviceconfig><system><hostname>fw</hostname></system></deviceconfig>",
  "<vsys><entry name='vsys1'><address><entry name='theirs'><ip-netmask>192.0.2.9</ip-netmask></entry>",
  "<entry name='clients'><ip-netmask>10.1.0.0/16</ip-netmask></entry></address>",
  `<rulebase><security><rules>${rule("web", "clients", "allow")}${rule("deny-all", "any", "deny")}</rules></security></rulebase>`,
  "</entry></vsys></entry></devices><shared><address><entry name='common'><ip-netmask>192.0.2.1</ip-netmask></entry></address></shared></config>",
].join("");

export const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
export const RULES = `${VSYS}/rulebase/security/rules`;

/** A client that the rule `web` lets in, twenty times a second. */
export const CLIENT: Flow = {
  from: "lan",
  to: "dmz",
  source: "10.1.0.7",
  destination: "192.0.2.80",
  application: "ssl",
  port: 443,
  every: 50,
};

export const WATCH = "watch:\n  - { type: traffic, query: \"( action neq allow ) and ( src eq '10.1.0.7' )\", threshold: 2, minutes: 1 }\n";

/** A document that declares a client network, which `web` allows, and the given additions. */
export function network(clients: string, more = "", checks = WATCH): string {
  const web =
    "{ name: web, from: [any], to: [any], source: [clients], destination: [any], application: [any], service: [any], action: allow }";
  return `target: edge\nscope: vsys1\nowns: { rulebase/security/rules: shared }\n${checks}config:\n  address:\n    clients: { ip-netmask: ${clients} }\n${more}  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n          - ${web}\n`;
}

/** Declares no rule that blocks a client. */
export const GOOD = network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.1 }\n    gone: { ip-netmask: 10.9.0.2 }\n");
/** Blocks the client: another network, an address made, one changed, one deleted. */
export const BAD = network("10.2.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n    made: { ip-netmask: 10.9.0.3 }\n");

/** The meaning of a configuration as one text. */
export function meaning(root: TreeNode): string {
  return canonicalText(root, panosShape());
}

/** Another administrator sets something and commits it. */
export function commitAs(world: LabWorld, admin: string, xpath: string, element: string): void {
  const { device } = world.lab;
  const replies = [
    device.act(admin, { type: "config", action: "set", xpath, element }),
    device.act(admin, { type: "commit", cmd: "<commit/>" }),
  ];
  const refused = replies.find(({ status }) => status !== "success");
  if (refused !== undefined) throw new Error(refused.message);
}
