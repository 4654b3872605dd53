import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { Bench } from "./bench.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const rule = (name: string): string =>
  `<entry name='${name}'>${["from", "to", "source", "destination", "application", "service"]
    .map((tag) => `<${tag}><member>any</member></${tag}>`)
    .join("")}<action>deny</action></entry>`;

/** Initial running configuration of a firewall before a case, real or simulated. */
export const RUNNING = [
  "<config version='11.1.0'><mgt-config><users><entry name='netops'/></users></mgt-config><shared/><devices>",
  "<entry name='localhost.localdomain'><deviceconfig><system><hostname>fw</hostname></system></deviceconfig>",
  `<vsys><entry name='vsys1'><tag><entry name='kept'/></tag><rulebase><security><rules>${rule("first")}${rule("second")}</rules></security></rulebase>`,
  "</entry></vsys></entry></devices></config>",
].join("");

const list = parsePath(`${VSYS}/tag`);
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);

/** Places for the cases. */
export const onFirewall = {
  list,
  empty: parsePath(`${VSYS}/address-group`),
  named: (word: string) => word,
  entry: (name: string, text: string) => new TreeNode("entry", name, "", [leaf("comments", text)]),
  leaf: "comments",
  more: leaf("color", "color5"),
  refused: { action: "rename", at: list.entry("nobody"), newName: "somebody" },
  ordered: () => parsePath(`${VSYS}/rulebase/security/rules`),
} as const satisfies Partial<Bench>;
