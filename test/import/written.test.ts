import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { filesOf, folder, load, runImport } from "./support.js";

const CIPHERTEXT = "-AQ==9Yz0Xb2kQ1mR4sT7uV8wX3yZ6aB=5cD1eF2gH3iJ4kL5mN6oP7==";

const fixture = (name: string) => parseXml(readFileSync(new URL(`fixtures/${name}.xml`, import.meta.url)));

describe("the output of import", () => {
  it("has one document per scope and section", () => {
    const out = folder();
    const { written } = runImport(fixture("manager"), out);
    expect(written).toContain("firewall/device-group/EMEA-Branches/pre-rules/nat.yaml");
    expect(written).toContain("firewall/template/Branch-base/vsys1/zone.yaml");
    expect(written).toContain("firewall/template/Branch-base/device/system.yaml");
    expect(written).toContain("firewall/shared/post-rules/security.yaml");
    expect(written).toContain("firewall/template-stack/Branch-stack/templates.yaml");
    expect(written.some((file) => file.includes("readonly"))).toBe(false);
  });

  it("declares complete rulebases as exclusive", () => {
    const out = folder();
    runImport(fixture("branch"), out);
    const text = (file: string) => readFileSync(join(out, "firewall", file), "utf8");
    expect(text("vsys1/rules/security.yaml")).toContain("\nowns:\n  rulebase/security/rules: exclusive\n");
    expect(text("vsys1/address.yaml")).not.toContain("owns:");
  });

  it("writes role permissions for rulebases as values, and omits the device's previews", () => {
    const out = folder();
    const role =
      "<role><device><webui><policies><security-rulebase>enable</security-rulebase><nat-rulebase>read-only</nat-rulebase></policies></webui></device></role>";
    const preview =
      '<content-preview><application><entry name="new-app" id="9" minver="7.1.0"><risk>1</risk></entry></application><threats/></content-preview>';
    const { xmlNodes, written, readOnly } = runImport(
      parseXml(`<config><shared><admin-role><entry name="auditor">${role}</entry></admin-role>${preview}</shared></config>`),
      out,
    );
    expect(xmlNodes).toBe(0);
    expect({ ...readOnly, paths: readOnly.paths.map(String) }).toEqual({ paths: ["/config/shared/content-preview"], leaves: 1 });
    expect(written).toEqual(["plumbline.yaml", "firewall/shared/admin-role.yaml"]);
    expect(readFileSync(join(out, "firewall/shared/admin-role.yaml"), "utf8")).toContain("security-rulebase: enable");
  });

  it("keeps only the secret values of an MFA profile", async () => {
    const out = folder();
    const values = {
      "okta-api-host": "dev.okta.com",
      "okta-org": "acme",
      "okta-token": "plain text",
      "okta-baseuri": CIPHERTEXT,
      "new-key": "text",
    };
    const config = Object.entries(values).map(([name, value]) => `<entry name="${name}"><value>${value}</value></entry>`);
    const profile = `<entry name="mfa"><mfa-config>${config.join("")}</mfa-config></entry>`;
    const profiles = `<server-profile><mfa-server-profile>${profile}</mfa-server-profile></server-profile>`;
    runImport(parseXml(`<config><shared>${profiles}</shared></config>`), out);
    const text = readFileSync(join(out, "firewall/shared/server-profile.yaml"), "utf8");
    expect(text).toContain("okta-api-host: { value: dev.okta.com }");
    expect(text).toContain("okta-org: { value: acme }");
    for (const name of ["okta-token", "okta-baseuri", "new-key"]) expect(text).toContain(`${name}: { value: "\${keep}" }`);
    await load(out);
    const file = join(out, "firewall/shared/server-profile.yaml");
    writeFileSync(file, text.replace('okta-token: { value: "${keep}" }', "okta-token: { value: plain }"));
    await expect(load(out)).rejects.toMatchObject({ errors: [{ code: "plaintext-secret" }] });
  });

  it("is short, in reading order, and quoted only if necessary", () => {
    const out = folder();
    runImport(fixture("branch"), out);
    const text = (file: string) => readFileSync(join(out, "firewall", file), "utf8");
    expect(text("vsys1/address.yaml")).toBe(`# yaml-language-server: $schema=../../schemas/panos.schema.json
target: firewall
scope: vsys1
config:
  address:
    web-1: { ip-netmask: 10.20.10.10, tag: [prod] }
    web-2: { ip-netmask: 10.20.10.11 }
    gw-guest: { ip-netmask: 10.20.20.1/24 }
    updates: { fqdn: updates.example.com }
    printers: { ip-range: 10.20.10.200-10.20.10.220, description: "" }
    constructor: { ip-wildcard: 10.0.0.1/0.255.255.0 }
`);
    expect(text("vsys1/rules/security.yaml")).toContain(`        - name: lan-out
          description: 'agreed in CHG-1234: "open #1"'
          from: [lan]
          to: [untrust]
          source: [any]
          source-user: [corp\\alice, corp\\netops]
          destination: [any]
`);
    expect(text("vsys1/profiles/custom-url-category.yaml")).toContain('list: ["*.example.com/", example.com/, "[2001:db8::1]/"]');
    expect(text("vsys1/import.yaml")).toContain("interface: { $include: [ethernet1/1, ethernet1/2.10, ethernet1/2.20] }");
    expect(text("vsys1/zone.yaml")).toContain("spare: { network: { layer3: {} } }");
    expect(text("device/system.yaml")).toContain(
      "login-banner: |-\n        Property of Example AG.\n        Access is logged, $$$${PAY} included: 100 %.\n",
    );
    expect(text("network/interface.yaml")).toContain("ip: [10.20.10.1/24, 10.20.11.1/24]");
    const longest = Math.max(
      ...[...filesOf(join(out, "firewall")).values()].flatMap((file) => file.split("\n").map(({ length }) => length)),
    );
    expect(longest).toBeLessThanOrEqual(110);
  });

  it("contains no stored secret", () => {
    for (const name of ["branch", "datacenter", "remote-access", "manager"]) {
      const out = folder();
      runImport(fixture(name), out);
      for (const [file, text] of filesOf(out)) expect(text, file).not.toMatch(/-AQ==|\$[156]\$/);
    }
    const out = folder();
    runImport(fixture("remote-access"), out);
    expect([...filesOf(out).values()].join("").match(/"\$\{keep\}"/g)?.length).toBe(9);
  });

  it("omits inherited nodes", async () => {
    const out = folder();
    runImport(parseXml(`<config><shared><tag><entry name="pushed" loc="DG"/><entry name="own"/></tag></shared></config>`), out);
    const shared = (await load(out)).root.children[0];
    expect(shared?.children[0]?.children.map(({ name }) => name)).toEqual(["own"]);
  });

  it("reports an empty configuration", async () => {
    const out = folder();
    expect(runImport(parseXml("<config><readonly/></config>"), out).nodes).toBe(0);
    expect((await load(out)).root.children).toEqual([]);
  });
});

describe("plumbline.yaml", () => {
  it("is ready for a plan", () => {
    const out = folder();
    runImport(fixture("branch"), out);
    const text = readFileSync(join(out, "plumbline.yaml"), "utf8");
    expect(text).toContain("documents: [firewall]\n");
    expect(text).toContain("    url: https://127.0.0.1:8443\n");
    expect(text).toContain("PLUMBLINE_TARGET_FIREWALL_CA");
  });

  it("keeps its content when a second target is added", () => {
    const out = folder();
    runImport(fixture("branch"), out);
    const path = join(out, "plumbline.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("owner: netops", "owner: my-team"));
    importConfiguration({ xml: fixture("datacenter"), kind: panosKind, out, targetName: "dc 1", url: "https://192.0.2.1" });
    const text = readFileSync(path, "utf8");
    expect(text).toContain("owner: my-team # name of your team");
    expect(text).toContain("documents: [firewall, dc-1]");
    expect(text).toContain("  dc 1:\n    kind: panos\n    url: https://192.0.2.1\n");
    expect(text).toContain("# tls: { ca: certs/panos-ca.pem }");
  });

  it("is limited to a subtree, whose list is not exclusive if it is incomplete", () => {
    const rules = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
    const part = (path: string, out = folder()) => {
      const { written } = importConfiguration({ xml: fixture("branch"), kind: panosKind, out, only: parsePath(path) });
      return written.filter((file) => file.startsWith("firewall/")).map((file) => readFileSync(join(out, file), "utf8"));
    };
    const complete = part(rules);
    expect(complete).toHaveLength(1);
    expect(complete[0]).toContain("rules: exclusive");
    const [one = ""] = part(`${rules}/entry[@name='lan-out']`);
    expect(one).toContain("lan-out");
    expect(one).not.toContain("allow-web");
    expect(one).not.toContain("exclusive");
    const out = folder();
    runImport(fixture("branch"), out);
    expect(() => part(rules, out)).toThrow("cannot be imported over existing documents");
  });

  it("is not overwritten if it cannot be read", () => {
    const out = folder();
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, "plumbline.yaml"), "targets: [\n");
    expect(() => runImport(fixture("branch"), out)).toThrow(/plumbline\.yaml/);
    expect([...filesOf(out).keys()]).toEqual(["plumbline.yaml"]);
  });
});
