import { afterEach, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

it("reconciles at once when asked, pauses for every runner, and resumes", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.settle();
  const { controls } = world.open ?? {};
  if (controls === undefined) throw new Error("no agent");
  expect([...controls.targets()]).toEqual([["edge", { kind: "panos", mode: "enforce" }]]);

  world.meddle("a", "10.9.9.9");
  const from = world.events.length;
  await controls.visit("edge", "reconcile");
  await world.event("applied", () => true, from);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1" });

  await controls.pause({ target: "edge", reason: "work", by: "ann (page)", since: world.clock.now(), until: undefined });
  await world.event("paused", () => true, from);
  expect(await controls.pauses()).toContainEqual(expect.objectContaining({ target: "edge", by: "ann (page)" }));
  expect(await controls.resume("edge", "ann (page)")).toBe(true);
  await world.event("resumed", () => true, from);
  expect(await controls.resume("edge", "ann (page)")).toBe(false);
  expect(await controls.pauses()).toEqual([]);
});
