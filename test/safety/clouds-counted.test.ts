import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// Twenty networks of others once made the loss of all managed ones a small share of the list.

async function beside(others: number): Promise<CloudWorld> {
  const world = await CloudWorld.start();
  world.configure("{ updates: 30%, deletes: 30%, from: 10, short: 50%, emptyList: refuse }");
  for (let i = 0; i < others; i++) world.act("POST", "/v2.0/networks", { network: { name: `theirs-${i}` } });
  world.want("networks: { a: {}, b: {}, c: {}, d: {} }");
  await world.reconciled();
  return world;
}

it.each([0, 20])("guards count owned objects, and not %i of others", async (others) => {
  const world = await beside(others);
  world.want("networks: { a: {} }");
  const refused = await world.reconcile();
  expect(exitCode([refused])).toBe(3);
  expect(refused.plan?.refusals).toMatchObject([{ guard: "deletes", message: expect.stringContaining("3 of 4") }]);
  world.want("networks: {}");
  expect((await world.plan()).plan?.refusals.map(({ guard }) => guard)).toEqual(["deletes", "empty-list"]);
  world.want("networks: { a: {}, b: {} }");
  expect(exitCode([await world.reconcile()])).toBe(0);
});
