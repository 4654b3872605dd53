import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { loadDesired } from "../../src/desired/load.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { kinds } from "../../src/targets/registry.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-faults-"));
  mkdirSync(join(folder, "d"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function faultsIn(file: string): Promise<string[]> {
  const { targets } = await loadDesired(file, { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });
  return [...targets.values()].flatMap(({ faults = [], sources }) =>
    faults.map(({ message, origin, path }) => `${sources.locate(origin)?.line}: ${path} ${message}`),
  );
}

async function faultsOf(config: string, scope = "vsys1", more = ""): Promise<string[]> {
  const file = join(folder, "plumbline.yaml");
  const login = 'credentials: { username: a, password: "${env:P}" }';
  writeFileSync(
    file,
    `format: 1\nowner: us\ndocuments: [d]\ntargets: { fw: { kind: panos, url: "https://192.0.2.1", ${login} } }\n${more}\n`,
  );
  writeFileSync(join(folder, "d/a.yaml"), `target: fw\nscope: ${scope}\nconfig:\n${config.replace(/^/gm, "  ")}\n`);
  return await faultsIn(file);
}

const rule = (fields: string, kind = "security"): string =>
  `rulebase:\n  ${kind}:\n    rules:\n      - { name: r, from: [any], to: [any], source: [any], destination: [any], service: ${kind === "nat" ? "any" : "[any]"}, ${fields} }`;

describe("a leaf that only the vendor's specifications limit", () => {
  const loopback = (name: string): string =>
    `network: { interface: { loopback: { units: { loopback.1: { netflow-profile: ${name} } } } } }`;
  const community = (text: string): string =>
    `network: { virtual-router: { r: { protocol: { bgp: { policy: { import: { rules: [{ name: a, match: { community: { regex: ${text} } } }] } } } } } } }`;

  it("is refused beyond the limit, also in a template of a manager", async () => {
    expect(await faultsOf(loopback("n".repeat(63)), "device")).toEqual([]);
    expect(await faultsOf(loopback("n".repeat(64)), "device")).toEqual([expect.stringContaining("64 characters, at most 63")]);
    const template = `config: { devices: { localhost.localdomain: { ${loopback("n".repeat(64))} } } }`;
    expect(await faultsOf(template, "template/t")).toEqual([expect.stringContaining("64 characters, at most 63")]);
  });

  it("is not refused if an older version has no limit", async () => {
    expect(await faultsOf(community("x".repeat(200)), "device")).toEqual([]);
  });
});

describe("a value that a firewall refuses", () => {
  it.each([
    ["address: { a: { ip-netmask: 10.9.9.999 } }", '"10.9.9.999" is not an IP address'],
    ["address: { a: { ip-netmask: None } }", '"None" is not an IP address'],
    ['address: { a: { ip-netmask: "{{ ip }}" } }', '"{{ ip }}" is not an IP address'],
    ["address: { a: { ip-range: 10.0.0.1 } }", "two IP addresses"],
    ["address: { a: { ip-wildcard: 10.0.0.0/8 } }", "a mask as ADDRESS/MASK"],
    ["address: { a: { fqdn: not a name } }", "a host name"],
    [`address: { a: { fqdn: a.example.com, description: ${"x".repeat(1024)} } }`, "1024 characters, at most 1023"],
    [`address: { ${"n".repeat(64)}: { fqdn: a.example.com } }`, "has 64 characters, at most 63 are allowed in address"],
    ["address: { a/b: { fqdn: a.example.com } }", 'The name "a/b" is not a name of letters'],
    ['tag: { "it\'s": { color: color1 } }', "without quotes and brackets"],
    ["tag: { t: { color: color18 } }", "color1 to color42"],
    ["service: { s: { protocol: { tcp: { port: 99999 } } } }", "list of ports"],
    ["service: { s: { protocol: { udp: { port: 80-70 } } } }", "list of ports"],
    ["service: { s: { protocol: { tcp: { port: 80, override: { yes: { timewait-timeout: 601 } } } } } }", "from 1 to 600"],
    ["zone: { z: { network: { layer3: [ethernet1/1] }, enable-user-identification: maybe } }", "one of yes, no"],
    [rule("application: [any], action: allwo"), '"allwo" is not one of deny, allow'],
    [rule("application: [any], action: allow, log-end: maybe"), "one of yes, no"],
    [rule("application: [any], action: allow, rule-type: both"), "universal, intrazone, interzone"],
    [rule("application: [any], action: allow").replace("source: [any]", "source: [10.0.0.0/33]"), "an address, a network"],
    [rule("nat-type: ipv5", "nat"), "ipv4, nat64, nptv6"],
    [rule("application: [any], action: allow").replace("source: [any]", "source: [any, web]"), '"any" has other members next to it'],
    [rule("application: [web-browsing, any], action: allow"), '"any" has other members next to it'],
    [rule("nat-type: ipv4", "nat").replace("to: [any]", "to: [a, b]"), '"b" is one member too many: the list holds at most 1'],
    [rule("application: [any], action: allow, profile-setting: { group: [a, b] }"), '"b" is one member too many'],
    [rule("application: [any], action: allow, profile-setting: { profiles: { virus: [a, b] } }"), '"b" is one member too many'],
    ["profile-group: { g: { virus: [a, b] } }", '"b" is one member too many'],
    [rule("destination-translation: { translated-address: a, translated-port: 0 }", "nat"), "from 1 to 65535"],
  ])("is an error at its line: %s", async (config, message) => {
    const faults = await faultsOf(config);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^[0-9]+: \/config\/devices\//);
    expect(faults[0]).toContain(message);
  });

  it("is found in shared, in device groups, in pre and post rules, and in templates", async () => {
    for (const scope of ["shared", "device-group/DG"]) {
      expect(await faultsOf("address: { a: { ip-netmask: nothing } }", scope)).toHaveLength(1);
      expect(await faultsOf(rule("application: [any], action: no").replace("rulebase", "pre-rulebase"), scope)).toHaveLength(1);
      expect(await faultsOf(rule("application: [any], action: no").replace("rulebase", "post-rulebase"), scope)).toHaveLength(1);
    }
  });

  it("is reported for a target value at the place of its use", async () => {
    expect(await faultsOf('address: { a: { ip-netmask: "${value:net}" } }', "vsys1", "values: { net: 10.9.9.999 }")).toHaveLength(1);
    expect(await faultsOf('address: { a: { ip-netmask: "${value:net}" } }', "vsys1", "values: { net: 10.9.9.0/24 }")).toEqual([]);
  });

  it("is not a placeholder: a reference, a template variable, a secret", async () => {
    expect(await faultsOf('address: { a: { ip-netmask: "${env:ADDRESS}" }, b: { ip-netmask: $variable } }')).toEqual([]);
  });
});

describe("values that firewalls accept", () => {
  it.each([
    "address: { a: { ip-netmask: 10.0.0.1 }, b: { ip-netmask: 10.1.2.3/24 }, c: { ip-netmask: 2001:db8::/32 }, d: { fqdn: _srv.example.com } }",
    "address: { a: { ip-wildcard: 10.0.0.0/0.0.248.255 }, b: { ip-range: 10.0.0.1-10.0.0.9 } }",
    "service: { s: { protocol: { tcp: { port: '80,443,8000-8099', override: { no: {} } } } } }",
    "zone: { z: { network: { layer3: [ethernet1/1] }, enable-user-identification: yes } }",
    rule("application: [any], action: reset-both, disabled: yes").replace(
      "source: [any]",
      "source: [web, 10.0.0.1, 10.0.0.0/8, US, An edl.v2]",
    ),
  ])("is no fault: %s", async (config) => {
    expect(await faultsOf(config)).toEqual([]);
  });

  it.each(readdirSync("test/fixtures", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".xml")))(
    "is no fault as import writes it: %s",
    async (name) => {
      const xml = parseXml(readFileSync(join("test/fixtures", name), "utf8"));
      if (xml.tag !== "config") return;
      importConfiguration({ xml, kind: panosKind, out: folder });
      expect(await faultsIn(join(folder, "plumbline.yaml"))).toEqual([]);
    },
  );
});

describe("a required field", () => {
  it.each([
    ["address: { a: { description: x } }", '"a" has none of ip-netmask, ip-range, ip-wildcard, fqdn.'],
    ["address-group: { g: { dynamic: {} } }", '"dynamic" has no filter.'],
    ["service: { s: { protocol: { tcp: { source-port: 80 } } } }", '"tcp" has no port.'],
    [rule("application: [any]"), '"r" has no action.'],
  ])("is missed: %s", async (config, message) => {
    expect(await faultsOf(config)).toEqual([expect.stringContaining(message)]);
  });

  it("is reported if missing: the next hop of a static route", async () => {
    const route = (nexthop: string): string =>
      `network: { virtual-router: { default: { routing-table: { ip: { static-route: { r: { destination: 0.0.0.0/0, nexthop: ${nexthop} } } } } } } }`;
    const message = '"nexthop" has none of ip-address, ipv6-address, fqdn, next-vr';
    expect(await faultsOf(route("{}"), "device")).toEqual([expect.stringContaining(message)]);
    for (const nexthop of ["{ ip-address: 192.0.2.1 }", "{ discard: {} }"]) expect(await faultsOf(route(nexthop), "device")).toEqual([]);
  });

  it("is not required in a partial entry, or if another document declares the rest", async () => {
    expect(await faultsOf("address: { a: { $partial: true, description: x } }")).toEqual([]);
    writeFileSync(join(folder, "d/b.yaml"), "targets: all\nscope: vsys1\nconfig: { address: { a: { ip-netmask: 10.0.0.1 } } }\n");
    expect(await faultsOf("address: { a: { description: x } }")).toEqual([]);
  });
});

describe("content without checks", () => {
  it("is $xml, and a document with unknown: allow", async () => {
    const odd = "address: { a: { ip-netmask: 10.9.9.999 } }";
    expect(await faultsOf("address: { a: { $xml: <ip-netmask>10.9.9.999</ip-netmask> }, b: { ip-netmask: { $xml: x } } }")).toEqual([]);
    expect(await faultsOf(odd)).toHaveLength(1);
    expect(await faultsOf(odd, "vsys1\nunknown: allow")).toEqual([]);
  });

  it("is imported from a device that accepts more than the tables know", async () => {
    const rules = `<rulebase><security><rules><entry name="r"><from><member>any</member></from><to><member>any</member></to>
      <source><member>any</member></source><destination><member>not/a/name</member><member>any</member></destination>
      <service><member>any</member></service><application><member>any</member></application><action>ponder</action></entry></rules></security></rulebase>`;
    const objects = `<address><entry name="${"n".repeat(70)}"><fqdn>a.example.com</fqdn></entry><entry name="none"><description>x</description></entry></address>`;
    const vsys = `<vsys><entry name="vsys1">${objects}${rules}</entry></vsys>`;
    const xml = parseXml(`<config><devices><entry name="localhost.localdomain">${vsys}</entry></devices></config>`);
    importConfiguration({ xml, kind: panosKind, out: folder });
    expect(await faultsIn(join(folder, "plumbline.yaml"))).toEqual([]);
    const written = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("security.yaml"));
    const text = readFileSync(join(folder, written[0] ?? ""), "utf8");
    expect(text).toContain("$xml: ponder");
    expect(text).toContain("source: [any]");
  });
});
