import { expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { addressesOf, BARE, policy, VSYS } from "./scenes.js";
import { World } from "./world.js";

it("a run of one path does not take ownership of objects elsewhere that were only found equal", async () => {
  const world = new World(BARE);
  world.want(policy({ theirs: "192.0.2.9", ours: "10.0.0.1" }, "10.0.0.0/8"));
  expect((await world.reconcile()).error).toBeUndefined();

  world.want(policy({ theirs: "192.0.2.9", ours: "10.0.0.1" }, "10.1.0.0/16"));
  const only = parsePath(`${VSYS}/rulebase/security/rules`);
  expect((await world.reconcile({ pass: { only } })).error).toBeUndefined();

  world.want(policy({ ours: "10.0.0.1" }, "10.1.0.0/16"));
  expect((await world.reconcile()).error).toBeUndefined();
  expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", ours: "10.0.0.1" });
});
