import { describe, expect, it } from "vitest";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { lookedAt } from "../engine/apply/rewired.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** A pair: exit 0 only if the active member has the commit. */

function pair(): World {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  world.device.role = "active";
  return world;
}

describe("a pair", () => {
  it.each(["passive", "other"] as const)("that fails over after the commit (%s) is no exit 0", async (what) => {
    const world = pair();
    const failOver = (step: string) => {
      if (step !== "commit") return;
      if (what === "passive") world.device.role = "passive";
      else world.device.serial = "0002";
    };
    const outcome = await world.reconcile({ observer: { before: () => undefined, after: failOver } });
    expect(outcome.error).toMatchObject({ code: "failover", message: expect.stringContaining("whether the active box has the commit") });
    expect(exitCode([outcome])).toBe(1);
    Object.assign(world.device, { role: "active", serial: "0001" });
    expect((await world.reconcile()).error).toBeUndefined();
  });

  it("whose peer gets the commit late is waited for; a peer that does not get it is reported", async () => {
    for (const [looks, warned] of [
      [3, false],
      [99, true],
    ] as const) {
      const world = pair();
      let committed = false;
      let asked = 0;
      const wrap = (target: WriteTarget): WriteTarget =>
        new Proxy(
          lookedAt(target, () => undefined),
          {
            get: (real, key) => {
              if (key !== "open") return Reflect.get(real, key, real);
              return async () => ({ ...(await real.open()), isSynchronized: !committed || ++asked > looks });
            },
          },
        );
      const after = (step: string) => {
        if (step === "commit") committed = true;
      };
      const outcome = await world.reconcile({ wrap, observer: { before: () => undefined, after } });
      expect(outcome.error).toBeUndefined();
      expect(outcome.warnings.some((warning) => warning.includes("its peer does not have it yet"))).toBe(warned);
    }
  });
});
