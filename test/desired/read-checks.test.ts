import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, expect, it } from "vitest";
import { documentSchema } from "../../src/desired/document-schema.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { openstackKind } from "../../src/targets/openstack/kind.js";
import { panosKind } from "../../src/targets/panos/kind.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const FIRST = `target: edge
scope: vsys1
watch:
  - { type: traffic, query: "( action neq allow )", threshold: 3, minutes: 5 }
  - { type: threat, minutes: 1 }
probe:
  - { tcp: { host: 192.0.2.10, port: 443 }, timeout: 2, attempts: 1 }
config: { tag: { red: {} } }
`;
const SECOND = `target: edge
scope: shared
probe:
  - { http: { url: "https://www.example.com/health", status: 204 } }
  - { dns: { name: www.example.com, server: 192.0.2.53, expect: 192.0.2.10 } }
artifacts: { hashes: [0123456789ABCDEF0123456789ABCDEF], images: [ubuntu-24.04], onUnavailable: warn }
`;

async function load(documents: Readonly<Record<string, string>>): Promise<DesiredTarget | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-checks-"));
  folders.push(folder);
  mkdirSync(join(folder, "edge"));
  const target = 'edge: { kind: panos, url: "https://192.0.2.1", credentials: { username: a, password: "${env:PW}" } }';
  const cloud = 'cloud: { kind: openstack, url: "https://192.0.2.2/v3", credentials: { username: a, password: "${env:PW}" } }';
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: netops\ndocuments: [edge]\ntargets:\n  ${target}\n  ${cloud}\n`);
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, "edge", `${name}.yaml`), text);
  const kinds = new Map([panosKind, openstackKind].map((kind) => [kind.kind, kind]));
  const options = { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false };
  return (await loadDesired(join(folder, "plumbline.yaml"), options)).targets.get("edge");
}

it("the checks of all documents of a target are joined, with defaults", async () => {
  const desired = await load({ a: FIRST, b: SECOND });
  const tries = { timeout: 5, attempts: 3 };
  expect(desired?.checks).toEqual({
    watches: [
      { type: "traffic", query: "( action neq allow )", threshold: 3, minutes: 5 },
      { type: "threat", query: undefined, threshold: 1, minutes: 1 },
    ],
    probes: [
      { kind: "tcp", host: "192.0.2.10", port: 443, timeout: 2, attempts: 1 },
      { kind: "http", url: "https://www.example.com/health", status: 204, ...tries },
      { kind: "dns", name: "www.example.com", server: "192.0.2.53", expect: "192.0.2.10", ...tries },
    ],
  });
  expect(desired?.artifacts).toEqual([
    { hashes: ["0123456789abcdef0123456789abcdef"], images: ["ubuntu-24.04"], onUnknown: "refuse", onUnavailable: "warn" },
  ]);
});

it("a target without checks in its documents has no checks", async () => {
  const desired = await load({ a: "target: edge\nscope: vsys1\nconfig: { tag: { red: {} } }\n" });
  expect([desired?.checks, desired?.artifacts]).toEqual([undefined, undefined]);
});

it("the schema for editors accepts and refuses the same checks as the loader", () => {
  const schema: Record<string, unknown> = documentSchema(panosKind);
  const { watch, probe, artifacts } = schema.properties as Record<string, object>;
  const accepts = (part: object | undefined, value: unknown) => new Ajv().validate(part ?? {}, value);
  expect(accepts(watch, [{ type: "traffic", query: "( a eq b )", threshold: 3, minutes: 5 }])).toBe(true);
  expect(accepts(probe, [{ tcp: { host: "192.0.2.10", port: 443 }, timeout: 2 }, { dns: { name: "a" } }])).toBe(true);
  expect(accepts(artifacts, { hashes: ["0123456789abcdef0123456789abcdef"], onUnknown: "warn" })).toBe(true);
  expect(accepts(watch, [{ type: "trafic", minutes: 5 }])).toBe(false);
  expect(accepts(watch, [{ type: "traffic", minutes: 61 }])).toBe(false);
  expect(accepts(probe, [{ tcp: { host: "192.0.2.10", port: 443 }, dns: { name: "a" } }])).toBe(false);
  expect(accepts(artifacts, { hashes: ["abc"] })).toBe(false);
});

it.each([
  ["tcp: { host: 'www.example.com:443', port: 443 }", "is neither a name nor an address"],
  ["tcp: { host: 'https://www.example.com', port: 443 }", "is neither a name nor an address"],
  ["dns: { name: 192.0.2.1 }", "is not a host name"],
  ["dns: { name: a.example, server: ns1.example.com }", "is not an address"],
  ["dns: { name: a.example, server: '2001:db8::53:x' }", "is not an address"],
  ["dns: { name: a.example, expect: b.example }", "is not an address"],
])("a probe that could only fail is refused before it rolls a commit back: %s", async (probe, message) => {
  const error = await load({ a: `target: edge\nscope: vsys1\nprobe:\n  - ${probe}\nconfig: { tag: { red: {} } }\n` }).catch((e) => e);
  expect(error.errors).toMatchObject([{ code: "check-invalid", where: { line: 4 }, message: expect.stringContaining(message) }]);
});

it("hosts and name servers are accepted in the usual notation", async () => {
  const probes = [
    "tcp: { host: '2001:db8::1', port: 443 }",
    "tcp: { host: db-1.internal., port: 5432 }",
    "tcp: { host: _srv.bücher.example, port: 1 }",
    "dns: { name: a.example, server: '192.0.2.53:5353' }",
    "dns: { name: a.example, server: '2001:db8::53' }",
    "dns: { name: a.example, server: '[2001:db8::53]:53', expect: '2001:DB8::1' }",
  ];
  const text = probes.map((probe) => `  - ${probe}\n`).join("");
  const desired = await load({ a: `target: edge\nscope: vsys1\nprobe:\n${text}` });
  expect(desired?.checks?.probes).toHaveLength(probes.length);
});

it("a kind without commits refuses checks, because they would have no effect", async () => {
  const cloud = "target: cloud\nscope: project\nwatch:\n  - { type: traffic, minutes: 1 }\nprobe:\n  - tcp: { host: a, port: 1 }\n";
  const error = await load({ a: cloud }).catch((e) => e);
  expect(error.errors).toMatchObject([
    { code: "check-invalid", where: { line: 3 }, message: expect.stringContaining("has no commit that could be rolled back") },
    { code: "check-invalid", where: { line: 5 }, next: expect.stringContaining("a document of a firewall") },
  ]);
  const { properties } = documentSchema(openstackKind) as { readonly properties: object };
  expect(Object.keys(properties)).toEqual(expect.not.arrayContaining(["watch"]));
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(["artifacts"]));
});
