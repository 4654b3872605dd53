import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readManagedFirewalls } from "../../src/engine/absences.js";
import type { ManagedFirewall } from "../../src/outcome/managed-firewalls.js";
import { afterTest } from "../after-test.js";

const HOUR = 3_600_000;

/** A manager of three firewalls, read from one state folder. */
class World {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-absences-"));
  now = Date.UTC(2026, 0, 5, 10);
  away = new Set<string>();
  readonly file = join(this.folder, "absences", "manager.json");

  constructor() {
    afterTest(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  async look({ serials = ["1", "2", "3"], isDeclared = true, folder = this.folder } = {}) {
    const rows = serials.map((serial): ManagedFirewall => ({ serial, by: "g", state: "in sync", connected: !this.away.has(serial) }));
    const managed = {
      firewalls: async () => rows,
      versions: async () => [],
      beyond: () => [],
      bearing: async () => rows,
      touched: async () => () => true,
      pushes: async () => [],
      verify: async () => rows,
      local: async () => [],
    };
    const configuration = { name: "manager", kind: "panos", mode: "enforce", rewriteLists: "never", approve: "none" } as const;
    const declared = isDeclared ? { ...configuration, offline: 24 * HOUR } : configuration;
    const options = { stores: { stateFolder: folder }, machine: { now: () => this.now } };
    const found = (await readManagedFirewalls(managed, { configuration: declared, options }, undefined)) ?? [];
    return found
      .filter(({ connected }) => !connected)
      .map(({ serial, away }) => `${serial} ${away?.since?.slice(5, 16)}${away?.tooLong === true ? "!" : ""}`);
  }
}

it("is seen, waited for, and an alarm after the time in offline:, until it returns", async () => {
  const world = new World();
  expect(await world.look()).toEqual([]);
  world.away.add("2");
  expect(await world.look()).toEqual(["2 01-05T10:00"]);
  world.now += 24 * HOUR - 1;
  expect(await world.look()).toEqual(["2 01-05T10:00"]);
  world.now += 1;
  expect(await world.look()).toEqual(["2 01-05T10:00!"]);
  world.away.delete("2");
  expect(await world.look()).toEqual([]);
  world.away.add("2");
  expect(await world.look()).toEqual(["2 01-06T10:00"]);
});

it("is remembered by passes that reach others, and not without declarations", async () => {
  const world = new World();
  world.away.add("2");
  expect(await world.look({ isDeclared: false })).toEqual(["2 undefined"]);
  await world.look();
  world.now += HOUR;
  expect(await world.look({ serials: ["1"] })).toEqual([]);
  expect(await world.look()).toEqual(["2 01-05T10:00"]);
});

it("starts again if its memory is damaged or lies in the future", async () => {
  const world = new World();
  world.away.add("2");
  await world.look();
  for (const text of ["", "{", "[1]", '{"2":"x"}', "null", JSON.stringify({ 2: world.now + 99 * HOUR })]) {
    writeFileSync(world.file, text);
    expect(await world.look()).toEqual(["2 01-05T10:00"]);
    expect(JSON.parse(readFileSync(world.file, "utf8"))).toMatchObject({ 2: world.now });
  }
});

it("has no start time if it cannot be remembered, and stops nothing", async () => {
  const world = new World();
  world.away.add("2");
  const folder = join(world.folder, "state");
  writeFileSync(folder, "a file stands in the place of the folder");
  expect(await world.look({ folder })).toEqual(["2 undefined"]);
});

it("is known for earlier absences if the folder is no longer writable", async () => {
  const world = new World();
  world.away.add("2");
  await world.look();
  world.away.add("3");
  world.now += 24 * HOUR;
  rmSync(`${world.file}.${process.pid}.tmp`, { force: true });
  mkdirSync(`${world.file}.${process.pid}.tmp`);
  expect(await world.look()).toEqual(["2 01-05T10:00!", "3 undefined"]);
});
