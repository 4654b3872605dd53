import { describe, expect, it } from "vitest";
import { type Edit, withEdits } from "../../../src/access/edit.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { type AccessBase, answerRequest, proveAfter } from "../../../src/engine/access/answer-requests.js";
import { policyOf, USUAL_PROJECTION } from "../../../src/lab/panos/manager/policy-projection.js";
import { panosDesigner } from "../../../src/targets/panos/access/designer.js";
import { rulebasesOf } from "../../../src/targets/panos/policy/policies.js";
import { elementOf } from "../../access/worlds.js";
import { Brute } from "../../targets/panos/policy/brute.js";

const members = (tag: string, names: readonly string[]) => `<${tag}>${names.map((name) => `<member>${name}</member>`).join("")}</${tag}>`;
const entry = (name: string, text = "") => `<entry name="${name}">${text}</entry>`;
const rule = (name: string, action: string, lists: Readonly<Record<string, readonly string[]>> = {}, more = "") =>
  entry(
    name,
    `${["from", "to", "source", "destination", "application", "service"].map((tag) => members(tag, lists[tag] ?? ["any"])).join("")}<action>${action}</action>${more}`,
  );
const rules = (level: string, ...all: string[]) =>
  `<${level}-rulebase><security><rules>${all.join("")}</rules></security></${level}-rulebase>`;
const zones = ["inside", "outside"].map((name) => entry(name, "<network><layer3/></network>")).join("");
const template = entry(
  "net",
  `<settings><default-vsys>vsys1</default-vsys></settings><config><devices>${entry("localhost.localdomain", `<vsys>${entry("vsys1", `<zone>${zones}</zone>`)}</vsys>`)}</devices></config>`,
);
const FIREWALLS = { a: "branch", b: "branch", c: "plants" };
const devices = (names: readonly string[]) => `<devices>${names.map((name) => entry(name)).join("")}</devices>`;
const own = (group: string) => devices(Object.keys(FIREWALLS).filter((name) => FIREWALLS[name as "a"] === group));

/** A manager with firewalls a and b in the group branch, and c in plants, which both belong to the group all. */
function manager({ shared = "", all = "", branch = "", plants = "" }: Readonly<Record<string, string>>): TreeNode {
  const groups = [entry("all", all), entry("branch", own("branch") + branch), entry("plants", own("plants") + plants)].join("");
  const parents = [entry("all", "<id>1</id>"), ...["branch", "plants"].map((name) => entry(name, "<parent-dg>all</parent-dg>"))].join("");
  const stack = entry("stack", `<templates><member>net</member></templates>${devices(Object.keys(FIREWALLS))}`);
  const config = `<template>${template}</template><template-stack>${stack}</template-stack><device-group>${groups}</device-group>`;
  const readonly = `<readonly><devices>${entry("localhost.localdomain", `<device-group>${parents}</device-group>`)}</devices></readonly>`;
  const local = `<config><shared/><devices>${entry("localhost.localdomain", `<vsys>${entry("vsys1")}</vsys>`)}</devices></config>`;
  const read = Object.keys(FIREWALLS).map((name) => entry(name, `<hostname>fw-${name}</hostname>${local}`));
  return parseXml(
    `<config><shared>${shared}</shared><devices>${entry("localhost.localdomain", config)}</devices>${readonly}<firewalls>${read.join("")}</firewalls></config>`,
  );
}

function baseOf(tree: TreeNode, scope: string | undefined): AccessBase {
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

const WANTED = { from: "10.1.0.5", to: "10.2.0.9", service: "tcp/443", application: "ssl", fromZone: "inside", toZone: "outside" };

function below(node: TreeNode, ...tags: readonly string[]): TreeNode | undefined {
  return tags.reduce<TreeNode | undefined>((at, tag) => at?.children.find((each) => each.tag === tag), node);
}

/** Whether a firewall allows each of some flows, by the independent projection and interpreter of the tests. */
function allowed(tree: TreeNode, serial: "a" | "b" | "c"): readonly boolean[] {
  const pushed = policyOf(tree, FIREWALLS[serial], { serial, vsys: "vsys1" }, USUAL_PROJECTION);
  const at = (level: string) => below(pushed, `${level}-rulebase`, "security", "rules")?.children ?? [];
  const rulebase = new TreeNode("rulebase", undefined, "", [
    new TreeNode("security", undefined, "", [new TreeNode("rules", undefined, "", [...at("pre"), ...at("post")])]),
  ]);
  const objects = pushed.children.filter(({ tag }) => !tag.endsWith("rulebase"));
  const system = new TreeNode("entry", "vsys1", "", [...objects, rulebase]);
  const device = new TreeNode("entry", "localhost.localdomain", "", [new TreeNode("vsys", undefined, "", [system])]);
  const config = new TreeNode("config", undefined, "", [new TreeNode("shared"), new TreeNode("devices", undefined, "", [device])]);
  const facts = { addresses: {}, atHome: { ssl: ["tcp/443"] }, holding: new Set<string>() };
  const brute = new Brute(elementOf(config), "vsys1", facts);
  return FLOWS.map((flow) => brute.decide(flow).allowed);
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
const ONLY_WANTED = FLOWS.map((_, at) => at === 0);
const NONE = FLOWS.map(() => false);

async function designed(tree: TreeNode, scope: string | undefined) {
  const base = baseOf(tree, scope);
  const { answer, designs, requested } = await answerRequest(base, WANTED, "CHG-1");
  const edits: readonly Edit[] = designs[0]?.edits ?? [];
  const after = withEdits(tree, edits);
  return { answer, after, faults: proveAfter(base, after, requested, false) };
}

const DENY_ALL = rules("post", rule("deny all", "deny"));

describe("a request to a manager", () => {
  it("adds a pre-rule to the device group for all of its firewalls, and for no other", async () => {
    const tree = manager({ shared: DENY_ALL, branch: rules("pre", rule("mine", "allow", { source: ["10.9.0.0/16"] })) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.designs[0]?.summary).toMatch(/^add rule 10\.1\.0\.5-to-10\.2\.0\.9-ssl below all pre-rules of device-group\/branch/);
    expect(answer.notes).toContain("Rules of device-group/branch apply to fw-a, fw-b.");
    expect(faults).toEqual([]);
    expect([allowed(tree, "a"), allowed(tree, "b")]).toEqual([NONE, NONE]);
    expect([allowed(after, "a"), allowed(after, "b"), allowed(after, "c")]).toEqual([ONLY_WANTED, ONLY_WANTED, NONE]);
  });

  it("adds a post-rule above the post-rule of the same group that denies it", async () => {
    const tree = manager({ branch: rules("post", rule("mine", "deny")) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.designs[0]?.summary).toContain("above rule mine in post-rules of device-group/branch");
    expect(faults).toEqual([]);
    expect([allowed(after, "a"), allowed(after, "b")]).toEqual([ONLY_WANTED, ONLY_WANTED]);
  });

  it("adds a rule of a parent group for the firewalls of all its groups", async () => {
    const tree = manager({ all: rules("pre", rule("known", "allow", { source: ["10.9.0.0/16"] })), shared: DENY_ALL });
    const { answer, after, faults } = await designed(tree, "device-group/all");
    expect(answer.notes.join()).toMatch(/apply to .*fw-a.*fw-b.*fw-c|apply to .*fw-c/);
    expect(faults).toEqual([]);
    expect((["a", "b", "c"] as const).map((serial) => allowed(after, serial))).toEqual([ONLY_WANTED, ONLY_WANTED, ONLY_WANTED]);
  });

  it("reports firewalls that allow it already, and still adds the rule that the others need", async () => {
    const open = rule("only a", "allow", {}, `<target>${devices(["a"])}</target>`);
    const tree = manager({ shared: DENY_ALL, branch: rules("pre", open) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.notes).toContain("Already allowed on fw-a.");
    expect(faults).toEqual([]);
    expect(allowed(after, "b")).toEqual(ONLY_WANTED);
    expect(allowed(after, "a")).toEqual(allowed(tree, "a"));
  });

  it("is refused if a rule of a parent group denies it first", async () => {
    const tree = manager({
      all: rules("pre", rule("never", "deny")),
      branch: rules("pre", rule("mine", "allow", { source: ["10.9.0.0/16"] })),
    });
    const { answer } = await designed(tree, "device-group/branch");
    expect(answer).toMatchObject({ state: "refused", designs: [] });
    expect(answer.reasons.join()).toContain('Rule "never" of device-group/all decides it before any rule of device-group/branch.');
  });

  it("is refused if no document has rules of the group, and if several groups have the zones", async () => {
    const tree = manager({ shared: DENY_ALL });
    expect((await designed(tree, "device-group/branch")).answer.reasons).toContain(
      "No document declares security rules of device-group/branch.",
    );
    expect((await designed(tree, undefined)).answer.reasons.join()).toMatch(/Several rulebases have these zones: .*Set --scope\./);
  });
});
