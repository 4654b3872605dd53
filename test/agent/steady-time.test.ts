import { afterEach, describe, expect, it } from "vitest";
import { SteadyTime } from "../../src/agent/steady-time.js";
import { FakeClock } from "./fake-clock.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("steady time", () => {
  it("follows the clock, also backwards, and is never far ahead of it", () => {
    const clock = new FakeClock();
    const steady = new SteadyTime(clock);
    const began = clock.now();
    clock.advance(40 * DAY);
    expect(steady.now()).toBe(began + 40 * DAY);
    clock.jump(-3 * DAY);
    expect(steady.now()).toBe(began + 37 * DAY);
    clock.jump(2000 * DAY);
    expect(steady.now()).toBe(began + 41 * DAY);
  });
});

describe("an agent whose clock is set years ahead", () => {
  let world: AgentWorld;
  afterEach(async () => await world.close());

  it("keeps its history", async () => {
    world = await AgentWorld.start();
    await world.run();
    await world.event("applied");
    const kept = async () => (await world.store?.history.find({ limit: 100, kinds: ["pass"] }))?.entries.map(({ id }) => id) ?? [];
    await world.settle();
    const before = await kept();
    world.clock.jump(2000 * DAY);
    await world.after(20 * MINUTE, "pass-ended");
    await world.settle();
    expect(await kept()).toEqual(expect.arrayContaining(before));
    expect(before.length).toBeGreaterThan(0);
  });
});
