import { describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { AgentWorld } from "../agent/world.js";

const GOOD = Array.from({ length: 20 }, (_, at) => `good${at}`);
const HUNG = Array.from({ length: 20 }, (_, at) => `hung${at}`);

describe("20 targets that answer and 20 that never do, with 8 slots", () => {
  it("a push to a good target is applied within 3 s of its fetch, and no good target misses a pass", async () => {
    const world = await AgentWorld.startForTest({ targets: [...HUNG, ...GOOD], agent: "concurrency: 8\ndriftInterval: 10m" });
    afterTest(async () => world.lab.release());
    await world.run();
    const ended = (from: number, names: readonly string[]) => {
      const targets = new Set(world.events.slice(from).flatMap((event) => (event.type === "pass-ended" ? [event.target] : [])));
      return names.every((name) => targets.has(name));
    };
    await passing(world, 20_000, () =>
      world.names.every((name) => world.events.some((event) => event.type === "applied" && event.target === name)),
    );
    await world.settle();
    for (const device of HUNG) world.lab.fault({ match: { device }, count: 1_000, effect: { kind: "hold", when: "before" } });
    const hung = world.events.length;
    // Every interval ends within 15 minutes, so all targets become due and 20 of them hang.
    await passing(world, 15 * 60_000, () => ended(hung, GOOD), 20_000);
    expect(world.events.slice(hung).filter((event) => event.type === "pass-ended" && event.target.startsWith("hung"))).toEqual([]);
    const from = world.events.length;
    world.want("good7", { a: "10.7.7.7" });
    const commit = world.push("good7");
    world.open?.agent.fetchSoon("webhook");
    await world.event("source-fetched", (event) => event.commit === commit, from);
    const fetched = world.clock.monotonic();
    await passing(world, 3_000, () => world.events.slice(from).some((event) => event.type === "applied" && event.target === "good7"));
    expect(world.clock.monotonic() - fetched).toBeLessThanOrEqual(3_000);
    const next = world.events.length;
    await passing(world, 15 * 60_000, () => ended(next, GOOD), 20_000);
    world.lab.clearFaults();
    world.lab.release();
  }, 90_000);
});

/** Advances the clock in steps until the condition is true. Fails after `most` milliseconds. */
async function passing(world: AgentWorld, most: number, isDone: () => boolean, step = 250): Promise<void> {
  for (let passed = 0; ; passed += step) {
    // The lab and git run in real time while the clock is stopped.
    for (let turn = 0; turn < 40 && !isDone(); turn++) await new Promise((next) => setTimeout(next, 10));
    if (isDone()) return;
    if (passed >= most) throw new Error(`not done after ${most} ms`);
    world.clock.advance(step);
  }
}
