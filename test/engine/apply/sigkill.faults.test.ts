import { afterEach, describe, expect, it } from "vitest";
import { type Death, expectConvergence, kill, prepare } from "./killing.js";
import { LabWorld } from "./lab-world.js";
import { BARE } from "./scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** More requests than a run has. A kill that is never reached ends the list. */
const STEPS = Array.from({ length: 24 }, (_, step) => step);
const REQUESTS = Array.from({ length: 10 }, (_, i) => i + 1);
const FOREIGN = ["none", "earlier", "then"] as const;

async function killOnce(death: Death): Promise<boolean> {
  const world = await LabWorld.start(BARE, { strict: true });
  worlds.push(world);
  await prepare(world);
  const killed = await kill(world, death);
  await expectConvergence(world, death);
  return killed;
}

describe("a process killed with SIGKILL", () => {
  it.each(["before", "after"] as const)(
    "%s every step leaves what the next run brings to its end",
    async (moment) => {
      let killed = 0;
      for (const step of STEPS) {
        const foreign = FOREIGN[step % FOREIGN.length] ?? "none";
        if (await killOnce({ at: { step, moment }, foreign, keepState: (step + (moment === "before" ? 0 : 1)) % 2 === 0 })) killed += 1;
        else break;
      }
      expect(killed).toBeGreaterThan(12);
      expect(killed).toBeLessThan(STEPS.length);
    },
    240_000,
  );

  it("after every change, with the reply lost, converges too", async () => {
    let killed = 0;
    for (const changingRequest of REQUESTS) {
      const foreign = FOREIGN[changingRequest % FOREIGN.length] ?? "none";
      if (await killOnce({ at: { changingRequest }, foreign, keepState: changingRequest % 2 === 0 })) killed += 1;
      else break;
    }
    // The lock, the write, the validation, the commit.
    expect(killed).toBe(4);
  }, 240_000);
});
