import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runIn } from "../cli/run-in.js";

const live = (address: string): string =>
  `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address>${address}</address></entry></vsys></entry></devices></config>`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-values-"));
  mkdirSync(join(folder, "d"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: us\ndocuments: [d]\ntargets:\n  one: { kind: memory, file: one.xml, mode: enforce }\n  two: { kind: memory, file: two.xml, mode: enforce }\n",
  );
  for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.xml`), live(""));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function want(target: string, address: string): void {
  const text = `target: ${target}\nscope: vsys1\nconfig: { address: { host: { ip-netmask: ${address} } } }\n`;
  writeFileSync(join(folder, `d/${target}.yaml`), text);
}

const run = (line: string) => runIn(folder, line.split(" "));

it("a value that a device would refuse is an error of validate with its line, and a refusal of its target", async () => {
  want("one", "10.9.9.999");
  want("two", "10.0.0.2");
  const validated = await run("validate");
  expect(validated).toMatchObject({ code: 1, out: "" });
  expect(validated.err).toContain("value-type");
  expect(validated.err).toContain("d/one.yaml:3");
  expect(JSON.parse((await run("validate --format json")).out)).toMatchObject({ valid: false, errors: [{ code: "value-type" }] });
  const planned = await run("plan");
  expect(planned.code).toBe(3);
  expect(planned.out).toContain("refused: values");
  // It does not block the other targets.
  expect((await run("reconcile")).out).toMatch(/Result: 1 target changed \(1 operation\); not done: 1 refused \(one\)/);
  expect(readFileSync(join(folder, "one.xml"), "utf8")).not.toContain("10.9.9.999");
  expect(readFileSync(join(folder, "two.xml"), "utf8")).toContain("10.0.0.2");
});

it("a value that is already on the device, or allowed, refuses nothing", async () => {
  want("one", "10.9.9.999");
  want("two", "10.0.0.2");
  writeFileSync(join(folder, "one.xml"), live('<entry name="host"><ip-netmask>10.9.9.999</ip-netmask></entry>'));
  expect((await run("reconcile")).code).toBe(0);
  want("two", "10.9.9.998");
  expect((await run("plan")).code).toBe(3);
  expect((await run("plan --allow values")).code).toBe(2);
});
