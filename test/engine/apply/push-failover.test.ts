import { expect, it } from "vitest";
import { LabDevice } from "../../../src/lab/panos/device.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

/** The manager is the active one of a pair; its peer answers nobody. */
async function paired(): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(`{ timeout: 5, rollout: { canary: ["${SERIALS.a}"] } }`);
  const manager = world.device("manager");
  manager.peer = new LabDevice("peer", manager.running, {}, { clock: manager.clock, random: (length) => Buffer.alloc(length, 1) });
  manager.haState = "active";
  return world;
}

it("a push ends where its manager fails over between two jobs, and goes on with the next run once it is active again", async () => {
  const world = await paired();
  const manager = world.device("manager");
  world.want("ours");
  let pushes = 0;
  const fails = (name: string) => {
    if (name === "push-arrival" && ++pushes === 1) manager.haState = "passive";
  };
  const outcome = await world.reconcile({ before: fails, after: () => undefined });
  expect([outcome.error?.code, world.pushes]).toEqual(["not-active", ["validate ab", "push a"]]);
  expect((await world.reconcile()).error?.code).toBe("not-active");
  manager.haState = "active";
  const next = await world.reconcile();
  expect([next.error, exitCode([next])]).toEqual([undefined, 0]);
  expect(world.pushes).toEqual(["validate ab", "push a", "validate b", "push b"]);
});
