import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle, removeBundle } from "./bundle.js";
import { lived, saidWorld, told } from "./lived.js";

/** `PLUMBLINE_SIMULATION_SEED=N`: shows the history of that seed again. */
const seed = Number(process.env.PLUMBLINE_SIMULATION_SEED ?? 1);

let simulation = "";
beforeAll(async () => {
  simulation = await bundle();
});
afterAll(() => removeBundle(simulation));

it(`the history of seed ${seed} is well`, async () => {
  const { broken } = await lived(simulation, seed, 1, saidWorld);
  if (process.env.PLUMBLINE_SIMULATION_SEED !== undefined) process.stdout.write(`${await told(simulation, seed, saidWorld)}\n`);
  expect(broken).toEqual([]);
});
