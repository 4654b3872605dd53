import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// The next run recreates a network that was deleted by mistake, but not the data of a volume.

const BOTH = "volumes: { boot: { size: 1 }, data: { size: 2 } }";
const allow = (key: string) => ({ allow: new Map([["data", `/openstack/volumes/entry[@name='${key}']`]]) });

it("a volume is neither deleted with its document nor recreated without being named", async () => {
  const world = (await CloudWorld.start()).want(BOTH);
  await world.reconciled();
  const names = () =>
    world.lab.world.volumes
      .volumes(world.lab.world.as("demo").projectId)
      .map(({ name }) => name)
      .sort();
  world.act("POST", "/v3/volumes", { volume: { name: "theirs", size: 1 } });
  world.want("volumes: { boot: { size: 1 } }");
  const held = await world.reconcile();
  expect(exitCode([held])).toBe(3);
  const flag = `--allow "data=/openstack/volumes/entry[@name='data']"`;
  expect(held.plan?.refusals).toMatchObject([{ guard: "data", message: expect.stringContaining("with all its data"), allow: flag }]);
  expect(exitCode([await world.reconcile(allow("boot"))])).toBe(3);
  world.want("volumes: { boot: { size: 1 }, data: { size: 1 } }");
  expect((await world.reconcile(allow("data"))).plan?.refusals).toMatchObject([
    { guard: "replace", message: expect.stringContaining("deletes the object with all data on it") },
  ]);
  expect(names()).toEqual(["boot", "data", "theirs"]);
  world.want("volumes: { boot: { size: 1 } }");
  await world.reconciled(allow("data"));
  expect(names()).toEqual(["boot", "theirs"]);
  expect((await world.plan()).plan?.changes).toEqual([]);
});

it("a volume whose create was executed twice is reported and blocks no other change", async () => {
  const world = (await CloudWorld.start()).want(BOTH);
  await world.reconciled();
  const volumes = () => world.lab.world.volumes.volumes(world.lab.world.as("demo").projectId);
  const data = volumes().find(({ name }) => name === "data");
  world.act("POST", "/v3/volumes", { volume: { name: "data", size: 2, metadata: data?.metadata } });
  world.want(BOTH.replace("boot: { size: 1", "boot: { size: 1, description: changed"));
  const outcome = await world.reconcile();
  expect(exitCode([outcome])).toBe(0);
  expect(outcome.plan?.findings).toMatchObject([{ kind: "twin", path: { name: expect.stringMatching(/^data~/) } }]);
  expect(volumes().filter(({ name }) => name === "data")).toHaveLength(2);
  expect(volumes().find(({ name }) => name === "boot")?.description).toBe("changed");
  expect((await world.plan()).plan?.changes).toEqual([]);
});
