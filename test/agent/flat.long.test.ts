import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

/** `bench/agent-night.mjs` does the same for 10,000 passes, and looks at the heap. */
describe("many passes", () => {
  it("leave no open file, listener or pending work", async () => {
    world = await AgentWorld.start({ agent: "driftInterval: 5m\nskipPasses: 2\nhealLimit: 1000" });
    await world.run();
    await world.event("applied");
    const pass = async () => {
      await world.after(6 * 60_000, "pass-ended");
      await world.settle();
    };
    const sight = () => ({ files: readdirSync("/proc/self/fd").length, listeners: world.stopListeners });
    for (let i = 0; i < 30; i++) await pass();
    const early = sight();
    for (let i = 0; i < 120; i++) {
      if (i % 20 === 0) world.meddle("a", `10.9.9.${i}`);
      await pass();
    }
    const late = sight();
    expect(late.listeners).toBe(early.listeners);
    // The lab runs in this process, and its sockets close later. So do sockets of earlier tests in this worker, which can only lower the
    // count.
    expect(late.files - early.files).toBeLessThanOrEqual(20);
    expect(world.seen("drift-resolved")).toBeGreaterThanOrEqual(6);
  }, 120_000);
});
