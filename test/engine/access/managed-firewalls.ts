import { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { AccessBase } from "../../../src/engine/access/answer-requests.js";
import { policyOf, USUAL_PROJECTION } from "../../../src/lab/panos/manager/policy-projection.js";
import { panosDesigner } from "../../../src/targets/panos/access/designer.js";
import { rulebasesOf } from "../../../src/targets/panos/policy/policies.js";
import { elementOf } from "../../access/worlds.js";
import { Brute } from "../../targets/panos/policy/brute.js";

export const members = (tag: string, names: readonly string[]) =>
  `<${tag}>${names.map((name) => `<member>${name}</member>`).join("")}</${tag}>`;
export const entry = (name: string, text = "") => `<entry name="${name}">${text}</entry>`;
export const rule = (name: string, action: string, lists: Readonly<Record<string, readonly string[]>> = {}, more = "") =>
  entry(
    name,
    `${["from", "to", "source", "destination", "application", "service"].map((tag) => members(tag, lists[tag] ?? ["any"])).join("")}<action>${action}</action>${more}`,
  );
export const rules = (level: string, ...all: string[]) =>
  `<${level}-rulebase><security><rules>${all.join("")}</rules></security></${level}-rulebase>`;
const zonesOf = (...names: string[]) => names.map((name) => entry(name, "<network><layer3/></network>")).join("");
const templateOf = (name: string, zones: string) =>
  entry(
    name,
    `<settings><default-vsys>vsys1</default-vsys></settings><config><devices>${entry("localhost.localdomain", `<vsys>${entry("vsys1", `<zone>${zones}</zone>`)}</vsys>`)}</devices></config>`,
  );
const FIREWALLS = { a: "branch", b: "branch", c: "plants" };
export const devices = (names: readonly string[]) => `<devices>${names.map((name) => entry(name)).join("")}</devices>`;
const membersOf = (group: string) => devices(Object.keys(FIREWALLS).filter((name) => FIREWALLS[name as "a"] === group));

/**
 * A manager with firewalls a and b in the group branch, and c in plants, which both belong to the group all. The local rules of a firewall
 * are empty if omitted. "unread": they were not read. Firewalls in `bare` have the zone dmz instead of inside and outside.
 */
export function manager(
  { shared = "", all = "", branch = "", plants = "" }: Readonly<Record<string, string>>,
  locals: Readonly<Record<string, string>> = {},
  bare: readonly string[] = [],
): TreeNode {
  const groups = [entry("all", all), entry("branch", membersOf("branch") + branch), entry("plants", membersOf("plants") + plants)].join("");
  const parents = [entry("all", "<id>1</id>"), ...["branch", "plants"].map((name) => entry(name, "<parent-dg>all</parent-dg>"))].join("");
  const stackOf = (name: string, of: string, names: readonly string[]) =>
    entry(name, `<templates><member>${of}</member></templates>${devices(names)}`);
  const own = Object.keys(FIREWALLS).filter((name) => !bare.includes(name));
  const stack = stackOf("stack", "net", own) + (bare.length === 0 ? "" : stackOf("other stack", "other net", bare));
  const template = templateOf("net", zonesOf("inside", "outside")) + templateOf("other net", zonesOf("dmz"));
  const config = `<template>${template}</template><template-stack>${stack}</template-stack><device-group>${groups}</device-group>`;
  const readonly = `<readonly><devices>${entry("localhost.localdomain", `<device-group>${parents}</device-group>`)}</devices></readonly>`;
  const local = (text: string) =>
    `<config><shared/><devices>${entry("localhost.localdomain", `<vsys>${entry("vsys1", text)}</vsys>`)}</devices></config>`;
  const read = Object.keys(FIREWALLS).map((name) => {
    const text = locals[name] ?? "";
    return entry(name, `<hostname>fw-${name}</hostname>${text === "unread" ? "" : local(text)}`);
  });
  return parseXml(
    `<config><shared>${shared}</shared><devices>${entry("localhost.localdomain", config)}</devices>${readonly}<firewalls>${read.join("")}</firewalls></config>`,
  );
}

export function baseOf(tree: TreeNode, scope: string | undefined): AccessBase {
  const options = { applications: ["ssl"], predefined: new Map([["ssl", { ports: [{ protocol: 6, first: 443, last: 443 }], parts: [] }]]) };
  const context = { desired: { assertions: [] }, configuration: { kind: "panos" }, settings: {} };
  return {
    context,
    tree,
    declared: tree,
    options,
    scope,
    designer: panosDesigner,
    reader: { rulebases: rulebasesOf },
  } as unknown as AccessBase;
}

export const WANTED = { from: "10.1.0.5", to: "10.2.0.9", service: "tcp/443", application: "ssl", fromZone: "inside", toZone: "outside" };

function below(node: TreeNode, ...tags: readonly string[]): TreeNode | undefined {
  return tags.reduce<TreeNode | undefined>((at, tag) => at?.children.find((each) => each.tag === tag), node);
}

/** Whether a firewall allows each of some flows, by the independent projection and interpreter of the tests. */
export function allowed(tree: TreeNode, serial: "a" | "b" | "c"): readonly boolean[] {
  return decisions(tree, serial).map((each) => each.allowed);
}

/** What a firewall decides about each of some flows: also the log setting of the rule. `local`: its own rules. */
export function decisions(tree: TreeNode, serial: "a" | "b" | "c", local: readonly TreeNode[] = []): readonly Decision[] {
  const pushed = policyOf(tree, FIREWALLS[serial], { serial, vsys: "vsys1" }, USUAL_PROJECTION);
  const at = (level: string) => below(pushed, `${level}-rulebase`, "security", "rules")?.children ?? [];
  const all = [...at("pre"), ...local, ...at("post")];
  const rulebase = new TreeNode("rulebase", undefined, "", [
    new TreeNode("security", undefined, "", [new TreeNode("rules", undefined, "", all)]),
  ]);
  const objects = pushed.children.filter(({ tag }) => !tag.endsWith("rulebase"));
  const system = new TreeNode("entry", "vsys1", "", [...objects, rulebase]);
  const device = new TreeNode("entry", "localhost.localdomain", "", [new TreeNode("vsys", undefined, "", [system])]);
  const config = new TreeNode("config", undefined, "", [new TreeNode("shared"), new TreeNode("devices", undefined, "", [device])]);
  const facts = { addresses: {}, atHome: { ssl: ["tcp/443"] }, holding: new Set<string>() };
  const brute = new Brute(elementOf(config), "vsys1", facts);
  const logs = new Map(all.map((each) => [each.name ?? "", below(each, "log-setting")?.text ?? "none"]));
  return FLOWS.map((flow) => {
    const { rule: name, allowed: isAllowed } = brute.decide(flow);
    return { allowed: isAllowed, log: logs.get(name) ?? "default rule" };
  });
}

interface Decision {
  readonly allowed: boolean;
  readonly log: string;
}

const FLOWS = ["10.1.0.5", "10.1.0.6"].flatMap((source) =>
  ["10.2.0.9", "10.2.0.8"].flatMap((destination) =>
    [443, 80].flatMap((port) =>
      ["ssl", "other"].map((application) => {
        const more = { protocol: 6, sourcePort: 40_000, user: "unknown" };
        return { from: "inside", to: "outside", source, destination, port, application, ...more };
      }),
    ),
  ),
);
/** The requested flow is the first one. */
export const ONLY_WANTED = FLOWS.map((_, at) => at === 0);
export const NONE = FLOWS.map(() => false);
