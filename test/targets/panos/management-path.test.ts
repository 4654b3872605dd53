import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { Change } from "../../../src/plan/diff/change.js";
import { panosManagementPath } from "../../../src/targets/panos/management-path.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;

const members = (tag: string, ...names: string[]) => `<${tag}>${names.map((name) => `<member>${name}</member>`).join("")}</${tag}>`;
const rule = (name: string, action: string, to: string, destination: string, more = "") =>
  `<entry name="${name}"><action>${action}</action>${members("to", to)}${members("destination", destination)}${more}</entry>`;

/** A firewall whose sub-interface ethernet1/1.10 holds 10.9.0.1 and lies in zone `admin`. */
const BEFORE = `<config><devices><entry name="localhost.localdomain"><network>
<interface><ethernet><entry name="ethernet1/1"><layer3><units><entry name="ethernet1/1.10"><ip><entry name="10.9.0.1/24"/></ip><comment>c</comment></entry></units></layer3></entry>
<entry name="ethernet1/2"><layer3><ip><entry name="10.8.0.1/24"/></ip></layer3></entry></ethernet></interface>
<virtual-router><entry name="main">${members("interface", "ethernet1/1.10", "ethernet1/2")}<routing-table><ip><static-route>
<entry name="back"><destination>10.0.0.0/8</destination></entry></static-route></ip></routing-table></entry>
<entry name="other">${members("interface", "ethernet1/3")}<routing-table><ip><static-route><entry name="far"><destination>0.0.0.0/0</destination></entry></static-route></ip></routing-table></entry></virtual-router>
</network><vsys><entry name="vsys1"><import><network>${members("interface", "ethernet1/1.10", "ethernet1/2")}</network></import>
<zone><entry name="admin"><network>${members("layer3", "ethernet1/1.10")}</network></entry><entry name="web"><network>${members("layer3", "ethernet1/2")}</network></entry></zone>
<address><entry name="firewall"><ip-netmask>10.9.0.0/24</ip-netmask></entry><entry name="site"><ip-netmask>10.8.0.0/24</ip-netmask></entry></address>
<rulebase><security><rules>${rule("let-us-in", "allow", "admin", "firewall", members("source", "operators"))}${rule("web", "allow", "web", "site")}${rule("deny-all", "deny", "any", "any")}</rules></security></rulebase>
</entry></vsys></entry></devices></config>`.replaceAll("\n", "");

const cut = (from: string, to: string, addresses = ["10.9.0.1"]): string[] => {
  expect(BEFORE).toContain(from);
  const after = parseXml(BEFORE.replace(from, to));
  return panosManagementPath.cut(addresses, parseXml(BEFORE), after).map(({ words }) => words);
};

describe("the path to a firewall", () => {
  it.each([
    ["its address goes", '<entry name="10.9.0.1/24"/>', '<entry name="10.9.0.2/24"/>', "the address of ethernet1/1.10"],
    [
      "its interface goes down",
      "</layer3></entry>",
      "</layer3><link-state>down</link-state></entry>",
      "the link state of ethernet1/1.10, the interface that Plumbline connects to",
    ],
    [
      "it leaves its router",
      `${members("interface", "ethernet1/1.10", "ethernet1/2")}<routing`,
      `${members("interface", "ethernet1/2")}<routing`,
      "the virtual router of",
    ],
    ["a route of its router changes", "10.0.0.0/8", "10.0.0.0/16", "a route of the virtual router"],
    ["it leaves its zone", members("layer3", "ethernet1/1.10"), members("layer3", "ethernet1/9"), "the zone or virtual system of"],
    [
      "it leaves its virtual system",
      `<import><network>${members("interface", "ethernet1/1.10", "ethernet1/2")}`,
      `<import><network>${members("interface", "ethernet1/2")}`,
      "the zone or virtual system of",
    ],
    [
      "the rule that lets us in goes",
      rule("let-us-in", "allow", "admin", "firewall", members("source", "operators")),
      "",
      'rule "let-us-in"',
    ],
    ["the rule lets in fewer", members("source", "operators"), members("source", "others"), 'rule "let-us-in"'],
    ["the rule leads elsewhere", members("destination", "firewall"), members("destination", "site"), 'rule "let-us-in"'],
    ["its destination is another object", "10.9.0.0/24</ip-netmask>", "10.7.0.0/24</ip-netmask>", 'rule "let-us-in"'],
    [
      "the rule is disabled",
      members("source", "operators"),
      `${members("source", "operators")}<disabled>yes</disabled>`,
      'rule "let-us-in"',
    ],
    ["a deny comes", "<rules>", `<rules>${rule("stop", "drop", "admin", "any")}`, 'rule "stop"'],
  ])("is guarded where %s", (_, from, to, words) => {
    expect(cut(from, to)).toEqual([expect.stringContaining(words)]);
  });

  it("is guarded if a deny rule is moved above the allow rule", () => {
    const [allow, deny] = [
      rule("let-us-in", "allow", "admin", "firewall", members("source", "operators")),
      rule("deny-all", "deny", "any", "any"),
    ];
    const web = rule("web", "allow", "web", "site");
    expect(cut(allow + web + deny, deny + allow + web)).toEqual([expect.stringContaining('rule "deny-all"')]);
  });

  it.each([
    ["a comment", "<comment>c</comment>", "<comment>d</comment>"],
    ["another router's route", "0.0.0.0/0", "192.0.2.0/24"],
    ["another zone", members("layer3", "ethernet1/2"), members("layer3", "ethernet1/9")],
    ["a rule to elsewhere", rule("web", "allow", "web", "site"), ""],
    ["a deny to elsewhere", "<rules>", `<rules>${rule("stop", "drop", "web", "any")}`],
    ["a rule that lets in more", members("source", "operators"), members("source", "operators", "others")],
  ])("says nothing of %s", (_, from, to) => {
    expect(cut(from, to)).toEqual([]);
  });

  it("is unknown if no interface has the address", () => {
    expect(cut("<rules>", `<rules>${rule("stop", "drop", "any", "any")}`, ["192.0.2.1"])).toEqual([]);
  });
});

describe("reads for it", () => {
  const missing = (path: string) => [{ kind: "order", path: parsePath(path), before: [], after: [], moved: [] }] satisfies Change[];
  const reads = (path: string, tree = BEFORE) => panosManagementPath.reads(missing(path), parseXml(tree), ["10.9.0.1"]).map(String);

  it("are none for changes elsewhere, first the interfaces, and the path if they have the address", () => {
    expect(reads(`${VSYS}/address/entry[@name='a']`)).toEqual([]);
    expect(reads(`${VSYS}/rulebase/security/rules`, "<config/>")).toEqual([`${DEVICE}/network/interface`]);
    expect(reads(`${VSYS}/rulebase/security/rules`)).toEqual([
      `${DEVICE}/network/interface`,
      `${DEVICE}/network/virtual-router`,
      `${VSYS}/zone`,
      `${VSYS}/import/network`,
      `${VSYS}/address`,
      "/config/shared/address",
    ]);
  });
});
