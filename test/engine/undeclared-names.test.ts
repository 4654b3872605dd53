import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { formatWhere, type PlumblineError } from "../../src/core/errors.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { undeclaredNames } from "../../src/engine/undeclared-names.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import { unknownNames } from "../../src/plan/unknown-names.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { panosNames } from "../../src/targets/panos/known-names.js";
import { kinds } from "../../src/targets/registry.js";
import { afterTest } from "../after-test.js";
import { leaveOut } from "../left-out.js";

const REAL = "../shared/data/panos";
const FIXTURES = "test/fixtures";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-names-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "d"));
});

function text({ message, next, where }: PlumblineError): string {
  return `${formatWhere(where)} ${message} ${next}`;
}

const load = () => loadDesired(join(folder, "plumbline.yaml"), { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });

async function look(): Promise<{ readonly errors: string[]; readonly warnings: string[] }> {
  const { errors, warnings } = await undeclaredNames(await load(), kinds);
  return { errors: errors.map(text), warnings: warnings.map(text) };
}

const FIREWALL = 'kind: panos, url: "https://192.0.2.1", credentials: { username: a, password: "${env:P}" }';

/** Text about documents by scope; a second document of the same scope has `+` after it. */
async function said(documents: Readonly<Record<string, string>>, targets = `fw: { ${FIREWALL} }`, header = "target: fw") {
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: us\ndocuments: [d]\ntargets:\n  ${targets}\n`);
  for (const [scope, body] of Object.entries(documents))
    writeFileSync(join(folder, `d/${scope.replace("/", "-")}.yaml`), `${header}\nscope: ${scope.replace("+", "")}\n${body}\n`);
  return await look();
}

const rule = (field: string): string => {
  const match = { from: "[any]", to: "[any]", source: "[any]", destination: "[any]", application: "[any]", service: "[any]" };
  const rest = Object.entries(match).filter(([name]) => !field.startsWith(`${name}:`));
  return `  rulebase:\n    security:\n      rules:\n        - name: r\n          ${field}\n${rest.map(([name, value]) => `          ${name}: ${value}`).join("\n")}\n          action: allow`;
};
const vsys = (field: string, objects = "") => `config:\n${objects}${rule(field)}`;

const ADDRESSES = "  address: { web-01: { fqdn: a.example.com }, db-01: { fqdn: b.example.com } }\n";

describe("an undeclared name", () => {
  it("is reported with its position and the most similar declared one", async () => {
    expect(await said({ vsys1: vsys("source: [web-O1]", ADDRESSES) })).toEqual({
      errors: [],
      warnings: [
        'd/vsys1.yaml:9:20 No address, address-group, external-list or region "web-O1" is declared here: it must be on the device. Did you mean "web-01"?',
      ],
    });
  });

  it("is reported once, and not per target of a document", async () => {
    const both = await said(
      {
        vsys1: `${vsys("source: [nobody]", ADDRESSES)}\n          target: { negate: no }\n        - { name: s, from: [any], to: [any], source: [nobody], destination: [nobody], application: [any], service: [any], action: deny }`,
      },
      `fw: { ${FIREWALL} }\n  fx: { ${FIREWALL.replace("2.1", "2.2")} }`,
      "targets: all",
    );
    expect(both.warnings).toHaveLength(1);
  });

  it.each([
    ["zone", "from: [inside]", "  zone: { insid: { network: { layer3: [ethernet1/1] } } }\n", "insid"],
    ["service", "service: [htpp]", "  service: { http: { protocol: { tcp: { port: 80 } } } }\n", "http"],
    ["tag", "tag: [prod]", "  tag: { prd: { color: color1 } }\n", "prd"],
    [
      "a group's member",
      "source: [any]",
      "  address: { a-1: { fqdn: a.example.com } }\n  address-group: { g: { static: [a-2] } }\n",
      "a-1",
    ],
    ["profile", "profile-setting: { profiles: { virus: [strct] } }", "  profiles: { virus: { strict: {} } }\n", "strict"],
    ["log profile", "log-setting: siem", "  log-settings: { profiles: { siem2: {} } }\n", "siem2"],
    ["schedule", "schedule: night", "  schedule: { nights: {} }\n", "nights"],
  ])("is looked for: a %s", async (_, field, objects, near) => {
    const { errors, warnings } = await said({ vsys1: vsys(field, objects) });
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(`Did you mean "${near}"?`)]);
  });

  it("is left to the device if documents declare none of its kind", async () => {
    expect(await said({ vsys1: vsys("from: [inside, outside]") })).toEqual({ errors: [], warnings: [] });
    const { left } = await undeclaredNames(await load(), kinds);
    expect(left).toEqual([
      { target: "fw", kind: "zone", name: "inside", at: { file: "d/vsys1.yaml", line: 8, column: 18 } },
      { target: "fw", kind: "zone", name: "outside", at: { file: "d/vsys1.yaml", line: 8, column: 26 } },
    ]);
  });

  it("is reported with the scope that is not visible from there", async () => {
    const { warnings } = await said({ vsys1: `config:\n${ADDRESSES}`, vsys2: vsys("source: [web-01]") });
    expect(warnings).toEqual([
      expect.stringMatching(/^d\/vsys2\.yaml:8:20 .*is declared in a scope that this document cannot use: .*vsys1.*web-01.*\.$/),
    ]);
  });

  it("is an error if the possible lists cannot contain other entries", async () => {
    const zones = "  zone: { inside: { network: { layer3: [ethernet1/1] } } }\n";
    const { errors, warnings } = await said({ vsys1: `owns: { zone: exclusive }\n${vsys("from: [insid]", zones)}` });
    expect(warnings).toEqual([]);
    expect(errors).toEqual([
      'd/vsys1.yaml:10:18 There is no zone "insid": no document declares one, and the lists that could contain it are exclusive. Did you mean "inside"?',
    ]);
  });

  it("is a warning while such a list is open, or partly ignored", async () => {
    const tags = "  tag: { a: { color: color1 } }\n";
    const open = { vsys1: `owns: { tag: exclusive }\n${vsys("tag: [b]", tags)}` };
    expect(await said(open)).toMatchObject({ errors: [], warnings: [expect.anything()] });
    const shared = `owns: { tag: exclusive }\nconfig:\n${tags.replace("a:", "s:")}`;
    expect(await said({ ...open, shared })).toMatchObject({ errors: [expect.anything()], warnings: [] });
    const ignoring = `ignore: [{ path: "tag/entry[@name='x']", owner: lab, reason: theirs }]\n${shared}`;
    expect(await said({ ...open, shared: ignoring })).toMatchObject({ errors: [], warnings: [expect.anything()] });
  });
});

describe("accepted names", () => {
  it.each([
    ["an object of the same place", { vsys1: vsys("source: [web-01]", ADDRESSES) }],
    ["an object of shared", { vsys1: vsys("source: [web-01]"), shared: `config:\n${ADDRESSES}` }],
    ["an object of another document", { vsys1: vsys("source: [web-01]"), "vsys1+": `config:\n${ADDRESSES}` }],
    [
      "an address, a network, a range, a region",
      { vsys1: vsys("source: [10.0.0.1, 10.0.0.0/8, 10.0.0.1-10.0.0.9, '2001:db8::/32', CH]", ADDRESSES) },
    ],
    [
      "what every firewall has",
      { vsys1: vsys("service: [application-default, service-https]", "  service: { x: { protocol: { tcp: { port: 1 } } } }\n") },
    ],
    ["an application, a category or a user", { vsys1: vsys("application: [ssl, web-browsing]") }],
    [
      "a predefined profile",
      { vsys1: vsys("profile-setting: { profiles: { virus: [default], vulnerability: [strict] } }", "  profiles: { virus: { x: {} } }\n") },
    ],
    ["a variable of a template", { vsys1: vsys("source: [$net]", ADDRESSES) }],
    ["an interface of hardware", { vsys1: vsys("from: [z]", "  zone: { z: { network: { layer3: [ethernet1/7] } } }\n") }],
    [
      "an object of any device group: the one above is not in documents",
      { "device-group/up": `config:\n${ADDRESSES}`, "device-group/down": vsys("source: [web-01]").replace("rulebase", "pre-rulebase") },
    ],
    ["a zone in a rule of a manager", { "device-group/dg": vsys("from: [inside]").replace("rulebase", "pre-rulebase") }],
  ])("%s", async (_, documents) => {
    expect(await said(documents)).toEqual({ errors: [], warnings: [] });
  });

  it("include results of live objects", async () => {
    const each =
      '  address:\n    $entries:\n      - $forEach: { in: fx, select: "devices/entry/vsys/entry/address/entry", from: live }\n        fqdn: a.example.com\n';
    const targets = `fw: { ${FIREWALL} }\n  fx: { ${FIREWALL.replace("2.1", "2.2")} }`;
    expect(await said({ vsys1: vsys("source: [made]", each) }, targets)).toEqual({ errors: [], warnings: [] });
  });
});

const configurations = [FIXTURES, ...(existsSync(REAL) ? [REAL] : [])].flatMap((at) =>
  readdirSync(at, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".xml"))
    .map((name) => join(at, name)),
);
if (!existsSync(REAL)) leaveOut("names of real configurations: ../shared/data is not there");

describe("the output of import", () => {
  it.each(configurations)("has no dangling names: %s", async (name) => {
    const xml = parseXml(readFileSync(name, "utf8"));
    if (xml.tag !== "config") return;
    importConfiguration({ xml, kind: panosKind, out: folder });
    expect(await look()).toEqual({ errors: [], warnings: [] });
  });
});

it("computes the candidates per kind and scope once, for any number of names", async () => {
  await said({ vsys1: vsys("source: [one, two, three]"), "vsys1+": "config:\n  address-group: { g: { static: [four] } }" });
  const { targets } = await load();
  const unknown = unknownNames(targets.get("fw") as DesiredTarget, panosKind.shape, panosNames);
  const [one, two, three, four] = ["one", "two", "three", "four"].map((name) => unknown.find(({ reference }) => reference.value === name));
  expect(one?.lists.flat().map(String)).toContain("/config/shared/address");
  expect([two?.lists, three?.lists].every((lists) => lists === one?.lists)).toBe(true);
  expect(two?.candidates).toBe(one?.candidates);
  expect(four?.lists).not.toBe(one?.lists);
});
