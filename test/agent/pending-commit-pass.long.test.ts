import { expect, it } from "vitest";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

it("a commit on hold forces no full pass of an unchanged target, a change of the target does, and the end of the hold applies it", async () => {
  const world = await AgentWorld.startForTest();
  await world.run();
  await world.event("applied");
  await world.settle();
  world.configure('windows: [{ allow: "0 22 * * *", for: 2h }]');
  world.want("edge", { a: "10.0.0.2" });
  world.push("at night");
  expect(await world.after(4 * MINUTE, "held")).toMatchObject({ reason: "window" });
  await world.event("pass-ended", ({ result }) => result === "pending");
  const result = async () => (await world.after(20 * MINUTE, "pass-ended")).result;
  expect([await result(), await result()]).toEqual(["skipped", "skipped"]);
  world.meddle("theirs", "192.0.2.10");
  expect(await result()).toBe("pending");
  expect(await result()).toBe("skipped");
  expect(world.seen("held")).toBe(1);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1" });
  await world.settle();
  const applied = world.event("applied", undefined, world.events.length);
  while (world.clock.now() < Date.UTC(2026, 0, 5, 22)) {
    world.clock.advance(20 * MINUTE);
    await world.settle();
  }
  await applied;
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.2" });
});

it("a commit on hold at the first start of an agent forces no full pass of an unchanged target, and is applied when the hold ends", async () => {
  const world = await AgentWorld.startForTest({ agent: 'windows: [{ allow: "0 22 * * *", for: 2h }]' });
  await world.run();
  expect(await world.event("held")).toMatchObject({ reason: "window" });
  const result = async () => (await world.after(20 * MINUTE, "pass-ended")).result;
  expect([await result(), await result(), await result()]).toEqual(["pending", "skipped", "skipped"]);
  world.meddle("theirs", "192.0.2.10");
  expect([await result(), await result()]).toEqual(["pending", "skipped"]);
  expect(world.seen("held")).toBe(1);
  await world.settle();
  const applied = world.event("applied", undefined, world.events.length);
  while (world.clock.now() < Date.UTC(2026, 0, 5, 22)) {
    world.clock.advance(20 * MINUTE);
    await world.settle();
  }
  await applied;
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1" });
});
