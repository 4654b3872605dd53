import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { desiredText, filesOf, folder, liveText, load, runImport } from "./support.js";

const BRANCH = readFileSync(new URL("fixtures/branch.xml", import.meta.url), "utf8");

function branch(...changes: [from: string | RegExp, to: string][]): TreeNode {
  return parseXml(changes.reduce((xml, [from, to]) => xml.replace(from, to), BRANCH));
}

function edit(out: string, file: string, change: (text: string) => string): void {
  const path = join(out, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after, `the edit of ${file} has no effect`).not.toBe(before);
  writeFileSync(path, after);
}

const read = (out: string, file: string) => readFileSync(join(out, file), "utf8");

describe("importing again", () => {
  it("changes no file if nothing changed, including handwritten ones", async () => {
    const out = folder();
    runImport(branch(), out);
    const byHand = `target: firewall # ours\nscope: vsys1\n\nconfig:\n    address: # few\n        'web-2':   {"ip-netmask": '10.20.10.11'}\n`;
    edit(out, "firewall/vsys1/address.yaml", (text) => text.replace(/ {4}web-2: .*\n/, ""));
    writeFileSync(join(out, "firewall/mine.yaml"), byHand);
    const before = filesOf(out);
    const { written, removed } = runImport(branch(), out);
    expect({ written, removed }).toEqual({ written: [], removed: [] });
    expect(filesOf(out)).toEqual(before);
    expect(desiredText((await load(out)).root)).toBe(liveText(branchProtected()));
  });

  it("removes the owns: line of a rulebase without rules, and its document", async () => {
    const out = folder();
    runImport(branch(), out);
    expect(read(out, "firewall/vsys1/rules/security.yaml")).toContain("owns:");
    const live = branch([/<security><rules>[\s\S]*?<\/rules><\/security>/, "<security/>"]);
    runImport(live, out);
    const { root } = await load(out);
    expect(desiredText(root)).toBe(liveText(live));
    expect([...filesOf(out).values()].filter((text) => text.includes("rulebase/security/rules: exclusive"))).toEqual([]);
  });

  it("changes, adds and removes values, and keeps comments and order", async () => {
    const out = folder();
    runImport(branch(), out);
    edit(out, "firewall/vsys1/address.yaml", (text) =>
      text
        .replace("  address:\n", "  # objects of the branch\n  address:\n")
        .replace("    web-1:", "    # the first\n    web-1:")
        .replace("    web-2: { ip-netmask: 10.20.10.11 }", "    web-2: { ip-netmask: 10.20.10.11 } # to be moved"),
    );
    edit(out, "firewall/vsys1/rules/security.yaml", (text) =>
      text.replace("        - name: lan-out", "        # CHG-1234\n        - name: lan-out"),
    );
    const live = branch(
      ["<ip-netmask>10.20.10.11</ip-netmask>", "<ip-netmask>10.20.10.12</ip-netmask>"],
      ['<entry name="updates"><fqdn>updates.example.com</fqdn></entry>', '<entry name="new one"><fqdn>n.example.com</fqdn></entry>'],
      [/<entry name="guest-out".*\n/, ""],
      ['<entry name="allow-web"', '<entry name="top"><action>deny</action></entry><entry name="allow-web"'],
      ["<member>web-browsing</member><member>ssl</member>", "<member>ssl</member><member>quic</member>"],
      ["<hostname>branch-17</hostname>", "<hostname>branch-18</hostname><domain>example.net</domain>"],
    );
    const { written } = runImport(live, out);
    expect([...written].sort()).toEqual([
      "firewall/device/system.yaml",
      "firewall/vsys1/address.yaml",
      "firewall/vsys1/rules/security.yaml",
    ]);
    expect(desiredText((await load(out)).root)).toBe(liveText(live));
    const address = read(out, "firewall/vsys1/address.yaml");
    expect(address).toContain("  # objects of the branch\n  address:\n    # the first\n    web-1:");
    expect(address).toContain("web-2: { ip-netmask: 10.20.10.12 } # to be moved");
    expect(address).toContain("new one: { fqdn: n.example.com }");
    const rules = read(out, "firewall/vsys1/rules/security.yaml");
    expect(rules).toContain("        # CHG-1234\n        - name: lan-out");
    expect(rules).toContain("application: [ssl, quic]");
    expect([...rules.matchAll(/- \{? ?name: ([\w-]+)/g)].map(([, name]) => name)).toEqual(["top", "allow-web", "lan-out", "deny-all"]);
    expect(read(out, "firewall/device/system.yaml")).toContain("hostname: branch-18\n      domain: example.net\n");
  });

  it("follows a new order of rules, and keeps the order of a set", async () => {
    const out = folder();
    runImport(branch(), out);
    edit(out, "firewall/vsys1/profiles/custom-url-category.yaml", (text) =>
      text.replace(/list: \[(.*), (example.com\/), (.*)\]/, "list: [$2, $1, $3]"),
    );
    const [, , deny] = /(<entry name="guest-out".*\n)\s*(<entry name="deny-all".*\n)/.exec(BRANCH) ?? [];
    const live = branch([/\s*<entry name="deny-all".*\n/, "\n"], ['<entry name="guest-out"', `${deny}<entry name="guest-out"`]);
    const { written } = runImport(live, out);
    expect(written).toEqual(["firewall/vsys1/rules/security.yaml"]);
    expect(desiredText((await load(out)).root)).toBe(liveText(live));
  });

  it("keeps references and directives as written", () => {
    const out = folder();
    runImport(branch(), out);
    edit(out, "firewall/vsys1/address.yaml", (text) =>
      text.replace("web-1: {", 'web-1: { $partial: "true",').replace("ip-netmask: 10.20.10.11", 'ip-netmask: "${env:WEB_2}"'),
    );
    edit(out, "firewall/mgt-config.yaml", (text) => text.replace('"${keep}"', '"${env:ADMIN_HASH}"'));
    edit(out, "firewall/vsys1/tag.yaml", (text) => text.replace("config:", "ignore: [{ path: tag, owner: me, reason: why }]\nconfig:"));
    const before = filesOf(out);
    runImport(branch(), out);
    expect(filesOf(out)).toEqual(before);
  });

  it("keeps a manual split into files, and adds new entries after the others", async () => {
    const out = folder();
    runImport(branch(), out);
    edit(out, "firewall/vsys1/address.yaml", (text) => text.replace(/ {4}web-1: .*\n/, "").replace(/ {4}gw-guest: .*\n/, ""));
    mkdirSync(join(out, "firewall/web"));
    writeFileSync(
      join(out, "firewall/web/all.yaml"),
      "target: firewall\nscope: vsys1\nconfig:\n  address:\n    web-1: { ip-netmask: 1.1.1.1, tag: [prod] }\n  address-group:\n    web: { static: [web-1, web-2] }\n",
    );
    edit(out, "firewall/vsys1/address-group.yaml", (text) => text.replace(/ {4}web: .*\n/, ""));
    const live = branch();
    runImport(live, out);
    expect(desiredText((await load(out)).root)).toBe(liveText(live));
    expect(read(out, "firewall/web/all.yaml")).toContain("web-1: { ip-netmask: 10.20.10.10, tag: [prod] }");
    expect(read(out, "firewall/vsys1/address.yaml")).not.toContain("web-1");
  });

  it("deletes documents without content, and creates documents for new sections", async () => {
    const out = folder();
    runImport(branch(), out);
    const live = branch(
      [/<dhcp>.*<\/dhcp>/, ""],
      ["<vsys>", '<vsys><entry name="vsys2"><address><entry name="x"><fqdn>x.example</fqdn></entry></address></entry>'],
    );
    const { written, removed } = runImport(live, out);
    expect({ written, removed }).toEqual({ written: ["firewall/vsys2/address.yaml"], removed: ["firewall/network/dhcp.yaml"] });
    expect(desiredText((await load(out)).root)).toBe(liveText(live));
  });

  it("does not write anything if it cannot read a file", () => {
    const out = folder();
    runImport(branch(), out);
    edit(out, "firewall/vsys1/tag.yaml", (text) => `${text}  : [\n`);
    unlinkSync(join(out, "firewall/vsys1/zone.yaml"));
    const before = filesOf(out);
    expect(() => runImport(branch(), out)).toThrow(PlumblineError);
    expect(() => runImport(branch(), out)).toThrow(/tag\.yaml/);
    expect(filesOf(out)).toEqual(before);
    expect(statSync(join(out, "firewall")).isDirectory()).toBe(true);
  });
});

function branchProtected(): TreeNode {
  const live = branch();
  runImport(live, folder());
  return live;
}
