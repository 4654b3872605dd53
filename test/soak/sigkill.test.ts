import { describe, expect, it } from "vitest";
import { type Death, expectConvergence, kill, prepare } from "../engine/apply/killing.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { BARE } from "../engine/apply/scenes.js";
import { generator } from "../scale/random.js";
import { seedOf } from "../seed.js";

/** Kills in one soak; each takes about a second. */
const ROUNDS = Number(process.env.PLUMBLINE_SOAK_ROUNDS ?? "200");
const PLATFORMS = [
  {},
  { system: { version: "10.0.4" } },
  { limits: { pendingChanges: 250 } },
  { jobDuration: 40 },
  { behavior: { deleteMissing: "silent" as const } },
];

const random = generator(seedOf(1));

function pick<T>(values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

function randomDeath(): Death {
  const step = { step: Math.floor(random() * 20), moment: pick(["before", "after"] as const) };
  const at = random() < 0.3 ? { changingRequest: 1 + Math.floor(random() * 8) } : step;
  return { at, foreign: pick(["none", "earlier", "then"] as const), keepState: random() < 0.5 };
}

describe("soak: randomly killed processes", () => {
  it(
    `${ROUNDS} kills, each followed by runs that converge`,
    async () => {
      let killed = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const death = randomDeath();
        const platform = pick(PLATFORMS);
        const world = await LabWorld.start(BARE, { strict: true, ...platform });
        try {
          await prepare(world);
          if (await kill(world, death)) killed += 1;
          await expectConvergence(world, death);
        } catch (error) {
          throw new Error(`round ${round}: ${JSON.stringify({ death, platform })}`, { cause: error });
        } finally {
          await world.close();
        }
      }
      expect(killed).toBeGreaterThan(ROUNDS / 2);
    },
    ROUNDS * 20_000,
  );
});
