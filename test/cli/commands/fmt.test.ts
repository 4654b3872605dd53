import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

it("reports unformatted files with --check, formats them, and is then satisfied", async () => {
  await world.run("fmt");
  expect(await world.run("fmt --check")).toMatchObject({ code: 0, out: expect.stringContaining("as they should be") });
  const file = join(world.folder, "desired-state/plumbline.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace("owner: ", "owner:    "));
  const checked = await world.run("fmt --check");
  expect(checked).toMatchObject({ code: 2, out: expect.stringContaining("~ desired-state/plumbline.yaml") });
  expect(readFileSync(file, "utf8")).toContain("owner:    ");
  expect((await world.run("fmt --format json")).out).toContain('"desired-state/plumbline.yaml"');
  expect(readFileSync(file, "utf8")).toBe(before);
  expect((await world.run("validate")).code).toBe(0);
});

it("leaves invalid YAML unchanged, reports it, and formats the other files", async () => {
  const broken = join(world.folder, "broken.yaml");
  const other = join(world.folder, "other.yaml");
  writeFileSync(broken, "a: [1\n");
  writeFileSync(other, "a:   1\n");
  const { code, err } = await world.run("fmt broken.yaml other.yaml");
  expect([code, err]).toEqual([1, expect.stringContaining("format-left-alone")]);
  expect(readFileSync(broken, "utf8")).toBe("a: [1\n");
  expect(readFileSync(other, "utf8")).toBe("a: 1\n");
});
