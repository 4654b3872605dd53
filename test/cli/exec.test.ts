import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "./world.js";

let world: CliWorld;
const ran = () => existsSync(join(world.folder, "desired-state/ran"));

beforeEach(async () => {
  world = await openWorld();
  const file = join(world.folder, "desired-state/plumbline.yaml");
  const text = readFileSync(file, "utf8").replace("${env:PLUMBLINE_PASSWORD}", "${exec:touch ran; echo plumbline}");
  writeFileSync(file, text);
  world.commit("a command");
});
afterEach(() => world.close());

describe("commands of an unapproved desired state", () => {
  it.each(["plan", "drift", "status", "adopt edge"])("are not executed by %s, which names the option to allow them", async (line) => {
    const { code, err } = await world.run(line);
    expect(code).toBe(1);
    expect(err).toContain("secret-command-not-allowed");
    expect(err).toContain("--allow-exec");
    expect(ran()).toBe(false);
  });

  it("do not matter to validate, which reads no secret", async () => {
    expect((await world.run("validate")).code).toBe(0);
    expect(ran()).toBe(false);
  });

  it("are executed with the flag or the variable", async () => {
    expect((await world.run("adopt edge --allow-exec")).code).toBe(0);
    expect(ran()).toBe(true);
    expect((await world.run("plan", { PLUMBLINE_ALLOW_EXEC: "1" })).code).toBe(2);
  });

  it("are executed by reconcile, which trusts the commit", async () => {
    await world.run("adopt edge --allow-exec");
    expect((await world.run("reconcile")).code).toBe(0);
    expect((await world.run("reconcile", { PLUMBLINE_ALLOW_EXEC: "0" })).code).toBe(1);
  });
});
