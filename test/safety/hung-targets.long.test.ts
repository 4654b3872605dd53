import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { afterTest } from "../after-test.js";
import { SharedWorld } from "../agent/shared/world.js";
import { startPostgres } from "../agent/store/postgres.js";
import { AgentWorld } from "../agent/world.js";

const GOOD = Array.from({ length: 20 }, (_, at) => `good${at}`);
const HUNG = Array.from({ length: 20 }, (_, at) => `hung${at}`);

/** Permits the first commit to write to all targets in one wave. */
function permitAll(world: AgentWorld): void {
  world.write("plumbline.yaml", world.read("plumbline.yaml").replace("guards: { ", `guards: { targets: ${world.names.length}, `));
  world.push("all targets in one wave");
}

/** Returns whether a pass of each of these targets has ended. */
function ended(events: readonly AgentEvent[], names: readonly string[]): boolean {
  const targets = new Set(events.flatMap((event) => (event.type === "pass-ended" ? [event.target] : [])));
  return names.every((name) => targets.has(name));
}

describe("20 targets that answer and 20 that never do, with 8 slots", () => {
  it("a push to a good target is applied within 3 s of its fetch, and no good target misses a pass, on SQLite", async () => {
    const world = await AgentWorld.startForTest({ targets: [...HUNG, ...GOOD], agent: "concurrency: 8\ndriftInterval: 10m" });
    afterTest(async () => world.lab.release());
    permitAll(world);
    await world.run();
    const passing = (most: number, isDone: () => boolean, step?: number) =>
      passed(async (by) => world.clock.advance(by), most, isDone, step);
    await passing(20_000, () =>
      world.names.every((name) => world.events.some((event) => event.type === "applied" && event.target === name)),
    );
    await world.settle();
    for (const device of HUNG) world.lab.fault({ match: { device }, count: 1_000, effect: { kind: "hold", when: "before" } });
    const hung = world.events.length;
    // Every interval ends within 15 minutes, so all targets become due and 20 of them hang.
    await passing(15 * 60_000, () => ended(world.events.slice(hung), GOOD), 20_000);
    expect(world.events.slice(hung).filter((event) => event.type === "pass-ended" && event.target.startsWith("hung"))).toEqual([]);
    const from = world.events.length;
    world.want("good7", { a: "10.7.7.7" });
    const commit = world.push("good7");
    world.open?.agent.fetchSoon("webhook");
    await world.event("source-fetched", (event) => event.commit === commit, from);
    const fetched = world.clock.monotonic();
    await passing(3_000, () => world.events.slice(from).some((event) => event.type === "applied" && event.target === "good7"));
    expect(world.clock.monotonic() - fetched).toBeLessThanOrEqual(3_000);
    const next = world.events.length;
    await passing(15 * 60_000, () => ended(world.events.slice(next), GOOD), 20_000);
    world.lab.clearFaults();
    world.lab.release();
  }, 90_000);

  it("a push to a good target is applied within 3 s of its fetch, and no good target misses a pass, on PostgreSQL", async () => {
    const postgres = await startPostgres();
    const shared = await SharedWorld.start(postgres, { targets: [...HUNG, ...GOOD], agent: "driftInterval: 10m" });
    afterTest(async () => {
      shared.world.lab.release();
      await shared.close();
      await postgres.stop();
    });
    const { world } = shared;
    permitAll(world);
    const agent = await shared.agent(8);
    const { events, clock } = agent;
    const passing = (most: number, isDone: () => boolean, step?: number) =>
      passed(
        async (by) => {
          clock.advance(by);
          await shared.passTime(by);
        },
        most,
        isDone,
        step,
      );
    const hasApplied = (name: string) => events.some((event) => event.type === "applied" && event.target === name);
    await passing(10 * 60_000, () => world.names.every(hasApplied), 5_000);
    await passing(60_000, () => agent.open.agent.isIdle);
    for (const device of HUNG) world.lab.fault({ match: { device }, count: 1_000, effect: { kind: "hold", when: "before" } });
    const hung = events.length;
    await passing(15 * 60_000, () => ended(events.slice(hung), GOOD), 20_000);
    expect(events.slice(hung).filter((event) => event.type === "pass-ended" && event.target.startsWith("hung"))).toEqual([]);
    const from = events.length;
    world.want("good7", { a: "10.7.7.7" });
    const commit = world.push("good7");
    agent.open.agent.fetchSoon("webhook");
    await agent.event("source-fetched", (event) => event.commit === commit, from);
    const fetched = clock.monotonic();
    await passing(3_000, () => events.slice(from).some((event) => event.type === "applied" && event.target === "good7"));
    expect(clock.monotonic() - fetched).toBeLessThanOrEqual(3_000);
    const next = events.length;
    await passing(15 * 60_000, () => ended(events.slice(next), GOOD), 20_000);
    world.lab.clearFaults();
  }, 300_000);
});

/** Lets time pass in steps until the condition is true. Fails after `most` milliseconds. */
async function passed(pass: (by: number) => Promise<void>, most: number, isDone: () => boolean, step = 250): Promise<void> {
  for (let waited = 0; ; waited += step) {
    // The lab and git run in real time while the clock is stopped.
    for (let turn = 0; turn < 40 && !isDone(); turn++) await new Promise((next) => setTimeout(next, 10));
    if (isDone()) return;
    if (waited >= most) throw new Error(`not done after ${most} ms`);
    await pass(step);
  }
}
