import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { runIn } from "../../cli/run-in.js";

const live = (vsys: string, { shared = "", device = "" } = {}): string =>
  `<config><shared>${shared}</shared><devices><entry name="localhost.localdomain">${device}<vsys><entry name="vsys1">${vsys}</entry></vsys></entry></devices></config>`;
const address = (name: string): string => `<address><entry name="${name}"><fqdn>a.example.com</fqdn></entry></address>`;
const ANY = "<member>any</member>";
const rule = (source: string): string =>
  `<rulebase><security><rules><entry name="r"><from>${ANY}</from><to>${ANY}</to><source><member>${source}</member></source><destination>${ANY}</destination><application>${ANY}</application><service>${ANY}</service><action>deny</action></entry></rules></security></rulebase>`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-names-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "d"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: us\ndocuments: [d]\ntargets:\n  one: { kind: memory, file: one.xml, mode: enforce }\n  two: { kind: memory, file: two.xml, mode: enforce }\n",
  );
  for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.xml`), live(""));
});

function want(target: string, source: string, more = ""): void {
  const match = "from: [any], to: [any], destination: [any], application: [any], service: [any], action: deny";
  const text = `target: ${target}\nscope: vsys1\nconfig:\n  rulebase:\n    security:\n      rules:\n        - { name: r, source: [${source}], ${match} }\n${more}`;
  writeFileSync(join(folder, `d/${target}.yaml`), text);
}

const run = (line: string) => runIn(folder, line.split(" "));

it("an unknown name is refused with its line, and does not stop other targets", async () => {
  want("one", "nowhere");
  want("two", "10.0.0.1");
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain("refused: names");
  expect(planned.out).toContain('There is no address, address-group, external-list or region "nowhere"');
  expect(planned.out).toContain("d/one.yaml:7");
  const sarif = JSON.parse((await run("plan --format sarif")).out) as { runs: { results: unknown[] }[] };
  const told = JSON.stringify(sarif.runs[0]?.results);
  expect(told).toContain("nowhere");
  expect(told).toContain('"startLine":7');
  expect(JSON.stringify(JSON.parse((await run("plan --format json")).out))).toContain('"guard":"names"');
  expect((await run("reconcile")).out).toMatch(/Result: 1 target changed \(1 operation\); not done: 1 refused \(one\)/);
  expect(readFileSync(join(folder, "one.xml"), "utf8")).not.toContain("nowhere");
  expect(readFileSync(join(folder, "two.xml"), "utf8")).toContain("10.0.0.1");
});

it.each([
  ["what another list of the device holds", live(address("there"))],
  ["what is shared there", live("", { shared: address("there") })],
  [
    "a group of the name",
    live(
      address("there").replaceAll("address", "address-group").replace("<fqdn>a.example.com</fqdn>", "<static><member>x</member></static>"),
    ),
  ],
])("%s answers to a name", async (_, tree) => {
  writeFileSync(join(folder, "one.xml"), tree);
  want("one", "there");
  expect(await run("plan")).toMatchObject({ code: 2, out: expect.not.stringContaining("refused") });
});

it("names declared in the same plan are known, and names that it deletes are not", async () => {
  want("one", "there", "  address: { there: { fqdn: a.example.com } }\n");
  expect((await run("reconcile --yes")).code).toBe(0);
  want("one", "there");
  const planned = await run("plan");
  expect(planned).toMatchObject({ code: 3, out: expect.stringContaining("there") });
});

it("a name that is already on the device, or allowed, refuses nothing", async () => {
  writeFileSync(join(folder, "one.xml"), live(rule("nowhere")));
  want("one", "nowhere");
  expect((await run("plan")).code).not.toBe(3);
  writeFileSync(join(folder, "one.xml"), live(rule("any")));
  expect((await run("plan")).code).toBe(3);
  expect((await run("plan --allow names")).code).toBe(2);
});

it("a firewall with a manager may have pushed names that its own configuration does not show: a warning", async () => {
  const device =
    "<deviceconfig><system><panorama><local-panorama><panorama-server>192.0.2.9</panorama-server></local-panorama></panorama></system></deviceconfig>";
  writeFileSync(join(folder, "one.xml"), live("", { device }));
  want("one", "pushed");
  expect(await run("plan")).toMatchObject({ code: 2, out: expect.stringContaining("Its manager must push it") });
});

it("an object that moves to shared is refused while it names an object of its former device group", async () => {
  const group = (inside: string): string =>
    `<config><shared/><devices><entry name="localhost.localdomain"><device-group><entry name="dmz">${inside}</entry></device-group></entry></devices></config>`;
  const tag = '<tag><entry name="prod"><color>color1</color></entry></tag>';
  const web = '<address><entry name="web"><fqdn>a.example.com</fqdn><tag><member>prod</member></tag></entry></address>';
  writeFileSync(join(folder, "one.xml"), group(tag + web));
  const tagged = "config:\n  address: { web: { fqdn: a.example.com, tag: [prod] } }\n";
  writeFileSync(join(folder, "d/one.yaml"), `target: one\nscope: shared\n${tagged}`);
  writeFileSync(join(folder, "d/group.yaml"), "target: one\nscope: device-group/dmz\nconfig:\n  tag: { prod: { color: color1 } }\n");
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain("refused: names");
  expect(planned.out).toMatch(/"prod" is declared or live only at .*'dmz'.*, which is not visible in this scope/);
  expect(planned.out).toContain("d/one.yaml:4");
  expect((await run("validate")).err + (await run("validate")).out).toMatch(
    /No tag "prod" is declared here.*declared in a scope that this document cannot use/s,
  );
  writeFileSync(join(folder, "one.xml"), group(tag + web).replace("<shared/>", `<shared>${tag}</shared>`));
  expect((await run("plan")).code).toBe(2);
});

const INTERFACES =
  '<network><interface><ethernet><entry name="ethernet1/1"><layer3><units><entry name="ethernet1/1.5"><tag>5</tag></entry></units></layer3></entry></ethernet></interface><virtual-router><entry name="default"/></virtual-router></network>';
const imports = (...names: string[]): string =>
  `<import><network><interface>${names.map((name) => `<member>${name}</member>`).join("")}</interface></network></import>`;

it.each([
  ["a zone", "scope: vsys1\nconfig:\n  zone: { dmz: { network: { layer3: [ethernet1/1.5] } } }\n", "Virtual system vsys1 does not import"],
  [
    "a virtual router",
    "scope: device\nconfig:\n  network: { virtual-router: { default: { interface: { $include: [ethernet1/1.5] } } } }\n",
    "No virtual system imports",
  ],
  [
    "a tunnel",
    "scope: device\nconfig:\n  network: { tunnel: { ipsec: { t: { tunnel-interface: ethernet1/1.5 } } } }\n",
    "No virtual system imports",
  ],
])("a sub-interface that no virtual system imports is refused in %s", async (_, document, message) => {
  writeFileSync(join(folder, "one.xml"), live(imports("ethernet1/1"), { device: INTERFACES }));
  writeFileSync(join(folder, "d/one.yaml"), `target: one\n${document}`);
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain(`${message} interface "ethernet1/1.5"`);
  expect(planned.out).toContain("d/one.yaml:4");
  writeFileSync(join(folder, "one.xml"), live(imports("ethernet1/1", "ethernet1/1.5"), { device: INTERFACES }));
  expect((await run("plan")).code).toBe(2);
});

it("a sub-interface that the same plan imports is accepted in a zone", async () => {
  writeFileSync(join(folder, "one.xml"), live(imports("ethernet1/1"), { device: INTERFACES }));
  const text =
    "import: { network: { interface: { $include: [ethernet1/1.5] } } }\n  zone: { dmz: { network: { layer3: [ethernet1/1.5] } } }";
  writeFileSync(join(folder, "d/one.yaml"), `target: one\nscope: vsys1\nconfig:\n  ${text}\n`);
  expect((await run("plan")).code).toBe(2);
});

it("a scope that the device does not have is refused with the file and line of a document", async () => {
  want("one", "any");
  writeFileSync(join(folder, "d/two.yaml"), "target: two\nscope: vsys2\nconfig:\n  tag: { t: { comments: x } }\n");
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain('"vsys2" does not exist on the target, and Plumbline does not create it');
  expect(planned.out).toContain("d/two.yaml:4");
  const sarif = JSON.parse((await run("plan --format sarif")).out) as { runs: { results: unknown[] }[] };
  expect(JSON.stringify(sarif.runs[0]?.results)).toMatch(/vsys2.*"startLine":4/);
});

it("a scope is named by its innermost entry, because a device answers as if the entries around it did not exist", async () => {
  writeFileSync(join(folder, "two.xml"), "<config/>");
  writeFileSync(join(folder, "d/two.yaml"), "target: two\nscope: vsys2\nconfig:\n  tag: { t: { comments: x } }\n");
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain('"vsys2" does not exist on the target');
  expect(planned.out).not.toContain('"localhost.localdomain"');
});

const IN_TEMPLATE =
  "/config/devices/entry[@name='localhost.localdomain']/template/entry[@name='T']/config/devices/entry[@name='localhost.localdomain']";
const inTemplate = (text: string): string =>
  `<config><devices><entry name="localhost.localdomain"><template><entry name="T"><config><devices><entry name="localhost.localdomain">${text}</entry></devices></config></entry></template></entry></devices></config>`;

it.each([
  [
    "a zone",
    "/vsys/entry[@name='vsys1']",
    "zone: { dmz: { network: { layer3: [ethernet1/1.5] } } }",
    "Virtual system vsys1 does not import",
  ],
  [
    "a virtual router",
    "/network",
    "virtual-router: { default: { interface: { $include: [ethernet1/1.5] } } }",
    "No virtual system imports",
  ],
])("a sub-interface that no virtual system of a template imports is refused in %s", async (_, below, config, message) => {
  const vsys = (...names: string[]): string => `<vsys><entry name="vsys1">${imports(...names)}</entry></vsys>`;
  writeFileSync(join(folder, "d/one.yaml"), `target: one\nat: ${IN_TEMPLATE}${below}\nconfig:\n  ${config}\n`);
  writeFileSync(join(folder, "one.xml"), inTemplate(INTERFACES + vsys("ethernet1/1")));
  const planned = await run("plan one");
  expect(planned.out).toContain(`${message} interface "ethernet1/1.5"`);
  expect(planned.code).toBe(3);
  writeFileSync(join(folder, "one.xml"), inTemplate(INTERFACES + vsys("ethernet1/1", "ethernet1/1.5")));
  expect((await run("plan one")).code).toBe(2);
});
