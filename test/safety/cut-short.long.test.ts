import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { type CliWorld, openWorld } from "../cli/world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

let world: CliWorld;
const file = () => join(world.folder, "desired-state/edge/rules/security.yaml");

beforeEach(async () => {
  world = await openWorld();
  expect(await world.run("adopt edge")).toMatchObject({ code: 0 });
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
});

afterEach(() => world.close());

/** Keeps this many of the six rules, cut at a line end: valid YAML. */
function cutTo(rules: number): void {
  const [head = "", ...parts] = readFileSync(file(), "utf8").split(/^(?= {8}- name: )/m);
  writeFileSync(file(), head + parts.slice(0, rules).join(""));
}

const rulesThere = () => find(world.lab.device.state.running, parsePath(RULES))?.children.map(({ name }) => name) ?? [];

describe("a desired state that was truncated at a line end", () => {
  it("deletes nothing while it is not a commit, and reports it", async () => {
    cutTo(4);
    const before = rulesThere();
    for (const command of ["plan", "reconcile"]) {
      const { code, out, err } = await world.run(command);
      expect(code, out + err).toBe(3);
      expect(out).toMatch(/refused dirty {2}2 deletions by a desired state with uncommitted changes/);
      expect(out).toContain("--allow dirty=2");
      expect(out).toMatch(/uncommitted changes in desired-state\/edge\/rules\/security\.yaml \(since commit [0-9a-f]{8}\)/);
    }
    expect(rulesThere()).toEqual(before);
    expect(await world.run("drift")).toMatchObject({ out: expect.stringContaining("uncommitted changes in") });
  });

  it("deletes as many as --allow dirty permits, and no more", async () => {
    cutTo(5);
    expect((await world.run("reconcile --allow dirty=1")).code).toBe(0);
    expect(rulesThere()).not.toContain("deny-all");
    cutTo(3);
    expect((await world.run("reconcile --allow dirty=1")).code).toBe(3);
    expect(rulesThere()).toHaveLength(5);
  });

  it("may change and add without permission, as long as nothing is deleted", async () => {
    writeFileSync(file(), readFileSync(file(), "utf8").replace("application: [postgres]", "application: [postgres, ssl]"));
    expect((await world.run("reconcile")).code).toBe(0);
  });

  it("treats a deleted file as missing, not as intended", async () => {
    rmSync(file());
    const { code, out } = await world.run("reconcile");
    expect(code).toBe(3);
    expect(out).toContain("refused dirty");
    expect(rulesThere()).toHaveLength(6);
  });

  it("loses no more than half of a short list even as a commit", async () => {
    cutTo(1);
    world.commit("cut");
    const { code, out } = await world.run("reconcile");
    expect(code).toBe(3);
    expect(out).toContain("5 of 6 entries would be deleted: 83.3 %, over the limit guards.short of 50 %");
    expect(rulesThere()).toHaveLength(6);
  });
});
