import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formats } from "../../src/report/renderers.js";
import { type CliWorld, openWorld } from "../cli/world.js";

// A reference in a leaf that the device shows in plain text. After its removal from the desired state only the ledger records that the
// value is a secret.

const CANARY = "canary-71c4aa";
const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='keyed']";
const environment = { KEY: CANARY };

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
  want('{ ip-netmask: 10.0.0.1, description: "key ${env:KEY}" }');
  await world.run("adopt edge", environment);
  expect((await world.run("reconcile", environment)).code).toBe(0);
});
afterEach(() => world.close());

function want(entry: string): void {
  const text = `target: edge\nscope: vsys1\nconfig: { address: { keyed: ${entry} } }\n`;
  writeFileSync(join(world.folder, "desired-state/edge/keyed.yaml"), text);
  world.commit("an entry");
}

/** The output of a command in each format. */
async function said(command: string): Promise<string> {
  const runs = formats.map((format) => world.run(`${command} --format ${format}`));
  return (await Promise.all(runs)).map(({ out, err }) => out + err).join("\n");
}

describe.each([
  ["written as plain text", "{ ip-netmask: 10.0.0.1, description: plain }"],
  ["left out", "{ ip-netmask: 10.0.0.1 }"],
])("a secret whose reference is %s", (_, entry) => {
  it.each(["plan", "drift"])("is a label in %s, with the variable not set", async (command) => {
    want(entry);
    const all = await said(command);
    expect(all).toContain("«stored secret»");
    expect(all).not.toContain(CANARY);
  });

  it("is a label in explain and get", async () => {
    want(entry);
    for (const words of [
      ["explain", `${ADDRESS}/description`],
      ["explain", ADDRESS],
      ["get", ADDRESS],
      ["get", "--format", "json", ADDRESS],
    ]) {
      const { code, out, err } = await world.runWords(words);
      expect({ words, code, err }).toMatchObject({ code: 0 });
      expect(out).toMatch(/«stored secret»|\$\{keep\}/);
      expect(out).not.toContain(CANARY);
    }
  });

  it("is overwritten or removed, and then in sync", async () => {
    want(entry);
    const { code, out, err } = await world.run("reconcile");
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out + err).not.toContain(CANARY);
    expect((await world.run("plan")).code).toBe(0);
    expect(JSON.stringify(readFileSync(join(world.folder, "desired-state/edge/keyed.yaml"), "utf8"))).not.toContain(CANARY);
    expect((await world.runWords(["get", ADDRESS])).out).not.toContain("«stored secret»");
  });
});

it("shows no difference while the reference stays, and writes a new value of it", async () => {
  expect((await world.run("plan", environment)).code).toBe(0);
  expect((await world.run("drift", environment)).code).toBe(0);
  const next = { KEY: `${CANARY}-next` };
  expect((await world.run("plan", next)).code).toBe(2);
  expect((await world.run("reconcile", next)).code).toBe(0);
  expect((await world.run("plan", next)).code).toBe(0);
});

it("is a label when the complete entry is deleted", async () => {
  writeFileSync(join(world.folder, "desired-state/edge/keyed.yaml"), "target: edge\nscope: vsys1\nconfig: { address: {} }\n");
  world.commit("no entry");
  const all = await said("plan");
  expect(all).toContain("«stored secret»");
  expect(all).not.toContain(CANARY);
});
