import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../src/plan/platform.js";
import { ALL } from "../engine/apply/device-target.js";
import { type Death, Mortal } from "../engine/apply/mortal.js";
import { BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { BEFORE, rulesOf, SWAPPED } from "./swapped-rules.js";

const PLATFORMS: Record<string, Capabilities> = {
  "with everything": ALL,
  "without a revert": { ...ALL, partialRevert: false },
  "without batches": { ...ALL, atomicBatch: false, maxBatchOperations: 1 },
};

describe.each(Object.entries(PLATFORMS))("a run that swaps names is killed, on a platform %s", (_, capabilities) => {
  async function started(): Promise<World> {
    const world = new World(BARE);
    world.capabilities = capabilities;
    world.want(BEFORE);
    expect((await world.reconcile()).error).toBeUndefined();
    return world.want(SWAPPED);
  }

  it("at any step: the next one ends with swapped names, and without an additional rule", async () => {
    const whole = new Mortal(undefined);
    expect((await (await started()).reconcile({ observer: whole.observer })).error).toBeUndefined();
    const deaths = whole.steps.flatMap((_, step): Death[] => [
      { step, moment: "before" },
      { step, moment: "after" },
    ]);
    expect(deaths.length).toBeGreaterThan(6);
    for (const death of deaths) {
      const world = await started();
      const mortal = new Mortal(death);
      await world.reconcile({ observer: mortal.observer, wrap: mortal.wrap });
      expect(mortal.isAlive).toBe(false);
      expect((await world.reconcile()).error, JSON.stringify(death)).toBeUndefined();
      expect(rulesOf(world.device.running), JSON.stringify(death)).toEqual(["b allow", "a drop", "deny-all deny"]);
    }
  });
});
