import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, removeBundle } from "./bundle.js";
import { explained, lived, told } from "./lived.js";

/** Seeds whose violations are explained here. `simulation.faults.test.ts` has more, and test/soak/simulation.test.ts any number. */
const FIRST = 1;
const COUNT = 30;
const CLOUDS = 10;

let simulation = "";
beforeAll(async () => {
  simulation = await bundle();
});
afterAll(() => removeBundle(simulation));

describe("a simulated history", () => {
  it("of seed 3 is the same to the last byte each time", async () => {
    const [once, again] = await Promise.all([told(simulation, 3), told(simulation, 3)]);
    expect(once.split("\n").length).toBeGreaterThan(20);
    expect(again).toBe(once);
  });

  it(`loses, doubles and hides nothing, of seeds ${FIRST} to ${FIRST + COUNT - 1}`, async () => {
    const { broken, sums } = await lived(simulation, FIRST, COUNT);
    const [first] = broken;
    expect(first === undefined ? "" : await explained(simulation, first)).toBe("");
    expect(sums).toMatchObject({ histories: COUNT, broken: 0 });
    expect(sums.commits).toBeGreaterThan(COUNT);
  });

  it(`of a cloud loses, doubles and hides nothing either, of seeds ${FIRST} to ${FIRST + CLOUDS - 1}, and is the same each time`, async () => {
    const { broken, sums } = await lived(simulation, FIRST, CLOUDS, "cloud");
    const [first] = broken;
    expect(first === undefined ? "" : await explained(simulation, first, "cloud")).toBe("");
    expect(sums).toMatchObject({ histories: CLOUDS, broken: 0 });
    expect(sums.commits).toBeGreaterThan(CLOUDS);
    const [once, again] = await Promise.all([told(simulation, 3, "cloud"), told(simulation, 3, "cloud")]);
    expect(again).toBe(once);
  });
});
