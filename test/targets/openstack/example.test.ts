import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CloudWorld } from "./cloud-world.js";

it("the example of docs/clouds.md is created, and then in sync", async () => {
  const section = readFileSync("docs/clouds.md", "utf8").split("## Documents of a cloud")[1] ?? "";
  const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  const world = (await CloudWorld.start()).wantText(example);
  await world.reconciled();
  const servers = world.lab.world.compute.servers(world.lab.world.as("demo").projectId);
  expect(servers.map(({ name, vmState }) => `${name} ${vmState}`).sort()).toEqual([
    "db active",
    "web-1 active",
    "worker-1 active",
    "worker-2 active",
  ]);
  expect((await world.plan()).plan?.changes).toEqual([]);
});
