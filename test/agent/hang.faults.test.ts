import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 8 : 100;
/** Real milliseconds: the maximum time for git and the lab on a busy machine. */
const PATIENCE = 25_000;
let world: AgentWorld;
afterEach(async () => {
  world.lab.release();
  await world.close();
});

function worded(event: AgentEvent): string {
  return [event.type, "target" in event ? event.target : "", "reason" in event ? event.reason : ""].join(" ").trim();
}

/** Advances the time by minutes while the agent works, until the condition is true. */
async function timePasses(until: Promise<unknown>, eachMinute: () => void = () => undefined): Promise<void> {
  let isOver = false;
  const over = until.then(() => {
    isOver = true;
  });
  const began = performance.now();
  while (!isOver) {
    if (performance.now() - began > PATIENCE) throw new Error(`nothing has come: ${world.events.slice(-40).map(worded).join(", ")}`);
    eachMinute();
    world.clock.advance(MINUTE);
    for (let turn = 0; turn < 50 && !isOver; turn++) await new Promise((next) => setImmediate(next));
  }
  await over;
}

describe("a hanging device", () => {
  it(
    "at any request of an apply delays no other target, and continues where it was",
    async () => {
      world = await AgentWorld.start({ targets: ["edge", "core"], agent: "attempts: 1000\nhealLimit: 100000", device: { strict: true } });
      await world.run();
      for (const name of world.names) await world.event("applied", ({ target }) => target === name);
      const rounds = fc.sample(
        fc.record({ nth: fc.integer({ min: 1, max: 24 }), when: fc.constantFrom("before", "after"), meddle: fc.boolean() }),
        ROUNDS,
      );
      for (const [round, { nth, when, meddle }] of rounds.entries()) {
        await world.settle();
        world.lab.fault({ match: { device: "edge", nth }, effect: { kind: "hold", when } });
        const value = `10.2.${round}.1`;
        for (const name of world.names) world.want(name, { a: value });
        const commit = world.push(value);
        const next = world.events.length;
        await timePasses(world.event("applied", (event) => event.target === "core" && event.commit === commit, next));
        if (meddle) {
          world.meddle("a", "10.9.9.9", "core");
          // Core is visited, whatever happens to edge.
          await timePasses(world.event("drift-resolved", ({ target, how }) => target === "core" && how === "healed", next));
        }
        world.lab.clearFaults();
        // More than once: a request may have been met and not be held yet.
        const served = world.event("applied", (event) => event.target === "edge" && event.commit === commit, next);
        await timePasses(served, () => world.lab.release());
        expect(world.addressesOf("edge").a).toBe(value);
        for (const name of world.names) expect(world.device(name).state.violations).toEqual([]);
      }
      for (const name of world.names) {
        const applied = world.events.filter((event) => event.type === "applied");
        const once = applied.filter((event) => event.target === name && event.heals === 0 && event.applied.operations > 0);
        expect(new Set(once.map(({ digest }) => digest)).size).toBe(once.length);
      }
    },
    ROUNDS * 30_000,
  );
});
