import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { panosGuards } from "../../../src/targets/panos/guards.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const RULES = `${DEVICE}/vsys/entry[@name='vsys1']/rulebase/security/rules`;

function desired(node: TreeNode, closed = true): DesiredNode {
  const children = node.children.map((child) => desired(child, closed));
  return new DesiredNode(node.tag, node.name, node.text, children, { origin: -1, prunes: closed, declared: true });
}

const rule = (inside: string) => parseXml(`<entry name="r">${inside}</entry>`);
const meaning = (live: string | undefined, wanted: string | undefined, closed = true) =>
  panosGuards.meaning(
    parsePath(`${RULES}/entry[@name='r']`),
    live === undefined ? undefined : rule(live),
    wanted === undefined ? undefined : desired(rule(wanted), closed),
  );

describe("management", () => {
  it.each([
    `${DEVICE}/deviceconfig/system/ip-address`,
    `${DEVICE}/deviceconfig/system/permitted-ip/entry[@name='10.0.0.0/8']`,
    `${DEVICE}/deviceconfig/system/authentication-profile`,
    `${DEVICE}/deviceconfig/system/service/disable-https`,
    `${DEVICE}/deviceconfig/high-availability/enabled`,
    "/config/mgt-config/users/entry[@name='plumbline']/permissions",
    "/config/shared/admin-role/entry[@name='api']",
    `${DEVICE}/network/interface/ethernet/entry[@name='ethernet1/1']/layer3/interface-management-profile`,
    `${DEVICE}/network/profiles/interface-management-profile/entry[@name='ping']/https`,
  ])("%s could lock us out", (path) => {
    expect(panosGuards.management(parsePath(path))).toBeDefined();
  });

  it.each([
    `${DEVICE}/deviceconfig/system/login-banner`,
    `${RULES}/entry[@name='permitted-ip']/action`,
    "/config/shared/address/entry[@name='users']",
  ])("%s could not", (path) => {
    expect(panosGuards.management(parsePath(path))).toBeUndefined();
  });
});

describe("meaning", () => {
  const any = "<source><member>any</member></source>";
  const web = "<source><member>web</member></source>";
  it.each([
    ["deny becomes allow", "<action>deny</action>", "<action>allow</action>", "deny becomes allow"],
    ["a field becomes any", `<action>allow</action>${web}`, `<action>allow</action>${any}`, "source becomes any"],
    ["a field is left out, which is any", `<action>allow</action>${web}`, "<action>allow</action>", "source becomes any"],
    ["a log profile goes", "<action>deny</action><log-setting>x</log-setting>", "<action>deny</action>", "log-setting is removed"],
    ["logging stops", "<action>deny</action>", "<action>deny</action><log-end>no</log-end>", "no longer logs"],
    ["a rule is disabled", "<action>deny</action>", "<action>deny</action><disabled>yes</disabled>", "it is disabled"],
    ["a match is negated", "<action>deny</action>", "<action>deny</action><negate-source>yes</negate-source>", "negate-source becomes yes"],
    ["a deny rule goes", "<action>drop</action>", undefined, "its traffic may pass"],
    ["an any/any comes", undefined, "<action>allow</action>", "any source to any destination"],
  ])("%s", (_name, live, wanted, words) => {
    expect(meaning(live, wanted)).toContain(words);
  });

  it.each([
    ["allow becomes deny", "<action>allow</action>", "<action>deny</action>"],
    ["a deny rule widens", `<action>deny</action>${web}`, `<action>deny</action>${any}`],
    ["an allow rule goes", "<action>allow</action>", undefined],
    ["a narrow rule comes", undefined, `<action>allow</action>${web}`],
    ["nothing changes", `<action>allow</action>${web}`, `<action>allow</action>${web}`],
  ])("says nothing where %s", (_name, live, wanted) => {
    expect(meaning(live, wanted)).toBeUndefined();
  });

  it("does not report that a default rule stops logging: it never logs by default", () => {
    const path = parsePath(`${RULES.replace("security", "default-security-rules")}/entry[@name='intrazone-default']`);
    const words = (live: TreeNode | undefined) =>
      panosGuards.meaning(path, live, desired(rule("<action>deny</action><log-end>no</log-end>")));
    expect(words(undefined) ?? "").not.toContain("no longer logs");
    expect(words(rule("<action>deny</action>")) ?? "").not.toContain("no longer logs");
    expect(words(rule("<action>deny</action><log-end>yes</log-end>"))).toContain("no longer logs");
  });

  it("names the narrowing fields of a new wide rule", () => {
    const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
    const narrower = `${list("from", "home")}${list("to", "dmz", "db", "web", "mail")}${list("service", "elk")}<action>allow</action>`;
    expect(meaning(undefined, narrower)).toBe(
      'Rule "r" is new and allows any source to any destination with any application: from home, to dmz or db or 2 more, service elk.',
    );
  });

  describe("of a default rule, which exists without a declaration", () => {
    const list = `${DEVICE}/vsys/entry[@name='vsys1']/rulebase/default-security-rules/rules`;
    const of = (name: string, live: string | undefined, wanted: string | undefined) =>
      panosGuards.meaning(
        parsePath(`${list}/entry[@name='${name}']`),
        live === undefined ? undefined : rule(live),
        wanted === undefined ? undefined : desired(rule(wanted)),
      );

    it("is empty without a change", () => {
      expect(of("intrazone-default", undefined, "<action>allow</action><log-end>yes</log-end>")).toBeUndefined();
      expect(of("interzone-default", undefined, "<action>deny</action><log-end>yes</log-end>")).toBeUndefined();
      expect(of("interzone-default", "<action>drop</action>", undefined)).toBeUndefined();
      expect(of("intrazone-default", "<log-end>yes</log-end>", "<action>allow</action><log-end>yes</log-end>")).toBeUndefined();
    });

    it("lists the changes", () => {
      expect(of("interzone-default", undefined, "<action>allow</action>")).toContain("deny becomes allow");
      expect(of("intrazone-default", "<action>deny</action>", undefined)).toContain("its traffic may pass");
    });
  });

  it("keeps the values that a partial rule does not contain", () => {
    expect(meaning(`<action>allow</action>${web}<log-setting>x</log-setting>`, "<description>d</description>", false)).toBeUndefined();
  });

  it("covers only security rules", () => {
    const address = parsePath(`${DEVICE}/vsys/entry[@name='vsys1']/address/entry[@name='r']`);
    expect(panosGuards.meaning(address, rule("<action>deny</action>"), desired(rule("<action>allow</action>")))).toBeUndefined();
  });
});

describe("never pruned", () => {
  it("keeps system objects", () => {
    const keeps = (path: string) => panosGuards.neverPruned(parsePath(path));
    expect(keeps("/config/mgt-config/users/entry[@name='admin']")).toBe(true);
    expect(keeps(`${DEVICE}/vsys/entry[@name='vsys1']/rulebase/default-security-rules/rules/entry[@name='interzone-default']`)).toBe(true);
    expect(keeps(`${RULES}/entry[@name='admin']`)).toBe(false);
  });
});
