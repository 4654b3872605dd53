import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

const DOCUMENTS = ["plumbline.yaml", "edge/device.yaml", "edge/rules/security.yaml", "edge/objects.yaml"];

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
  expect((await world.run("adopt edge")).code).toBe(0);
});
afterEach(() => world.close());

function edit(file: string, change: (text: string) => string): void {
  const path = join(world.folder, "desired-state", file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

const rows = async (line = "ledger list --format json") => JSON.parse((await world.run(line)).out).ledgers;

it("lists the ledgers of the owner", async () => {
  const { out } = await world.run("ledger list");
  expect(out).toMatch(/^edge {2}\d+ paths · commit [0-9a-f]{12} · \d+\n$/);
  expect(await rows()).toMatchObject([{ target: "edge", isConfigured: true }]);
  expect((await world.run("ledger list --owner nobody")).out).toBe("nobody has no ledgers with objects.\n");
});

it("renames a target, and its objects stay managed", async () => {
  const [{ paths }] = await rows();
  const wrong = await world.run("ledger rename edge berlin");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("Rename it in the configuration first.")]);
  const renamed = (text: string) => text.replace(/^ {2}edge:/m, "  berlin:");
  edit("plumbline.yaml", renamed);
  expect(await rows()).toMatchObject([{ target: "edge", isConfigured: false }]);
  expect((await world.run("ledger list")).out).toContain("not in the configuration");
  const { code, out, err } = await world.run("ledger rename edge berlin");
  expect(code, err).toBe(0);
  expect(out).toBe(`The ledger of edge (${paths} paths) belongs to berlin now.\n`);
  expect(await rows()).toMatchObject([{ target: "berlin", paths, isConfigured: true }]);
});

it("hands the ledgers over to another owner", async () => {
  const [{ paths }] = await rows();
  const owner = /^owner: *(\S+)/m.exec(readFileSync(join(world.folder, "desired-state/plumbline.yaml"), "utf8"))?.[1];
  edit("plumbline.yaml", (text) => text.replace(/^owner: .*/m, "owner: team-b"));
  expect(await rows()).toEqual([]);
  expect((await world.run(`ledger hand-over ${owner}`)).code).toBe(0);
  expect(await rows()).toMatchObject([{ target: "edge", paths }]);
  expect(await rows(`ledger list --owner ${owner} --format json`)).toEqual([]);
});

it("moves the ledgers from their former place", async () => {
  const [{ paths }] = await rows();
  const file = join(world.folder, "ledger.json");
  expect((await world.run(`ledger move git --ledger ${file}`)).out).toBe(`edge: ${paths} paths moved from git.\n`);
  expect(await rows(`ledger list --ledger ${file} --format json`)).toMatchObject([{ target: "edge", paths }]);
  expect(await rows()).toEqual([]);
});

it("forgets a target that left the configuration, and no other", async () => {
  expect((await world.run("ledger forget edge")).code).toBe(1);
  expect(await rows()).toHaveLength(1);
  edit("plumbline.yaml", (text) => text.replace(/^ {2}edge:/m, "  berlin:"));
  expect((await world.run("ledger forget edge")).out).toMatch(/^edge: \d+ paths no longer managed\. They stay on the target\.\n$/);
  expect(await rows()).toEqual([]);
});

it("shows its actions if one is unknown or a name is missing", async () => {
  for (const line of ["ledger drop", "ledger rename edge"]) {
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([1, expect.stringContaining("plumbline ledger rename OLD NEW")]);
  }
});

it.each(["plan", "drift", "reconcile --yes"])(
  "%s reports a target that left the configuration, and how much of it stays",
  async (command) => {
    const text = (await world.run(`${command} --format json`)).out;
    expect(text).not.toContain("left the configuration");
    const [{ paths }] = await rows();
    for (const file of DOCUMENTS)
      edit(file, (yaml) => yaml.replace(/^( {2}edge:|target: edge$)/m, (found) => found.replace("edge", "berlin")));
    const berlin = { PLUMBLINE_TARGET_BERLIN_URL: world.lab.device.url, PLUMBLINE_TARGET_BERLIN_CA: join(world.folder, "ca.pem") };
    const { out } = await world.run(`${command} --format json`, berlin);
    const warning = `target edge left the configuration; ${paths} managed paths stay on the device. See plumbline ledger rename and forget.`;
    expect(JSON.parse(out).targets[0].warnings).toContain(warning);
    expect((await world.run(command, berlin)).out.split(warning)).toHaveLength(2);
    expect((await world.run(`${command} --target berlin`, berlin)).out).not.toContain("left the configuration");
  },
);
