import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../cli/world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe("11: a system object in an exclusive list, on a firewall", () => {
  it("the first administrator stays, with any override", async () => {
    const users = ["plumbline", "mkovacs"].map((name) => `    ${name}: { permissions: { role-based: { superuser: yes } } }\n`).join("");
    const document = `target: edge\nat: /config/mgt-config\nowns: { users: exclusive }\nconfig:\n  users:\n${users}`;
    writeFileSync(join(world.folder, "desired-state/edge/users.yaml"), document);
    world.commit("administrators");
    await world.run("adopt edge");
    const changesNothing = world.lab.device.state.commits.length;
    const { code, out } = await world.run("reconcile --allow management --allow deletes=100% --allow meaning");
    expect(code).toBe(3);
    expect(out).toContain("never-pruned");
    expect(world.lab.device.state.commits.length).toBe(changesNothing);
  });
});
