import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, removeBundle } from "./bundle.js";
import { explained, lived, told } from "./lived.js";
import { MUTANTS } from "./mutants.js";

const FIRST = 1;
/**
 * Number of each kind. Runs of a hundred thousand are manual (docs/contributing/testing.md#the-simulation). One history of a manager takes
 * ten times as long.
 */
const COUNTS = { firewall: 160, cloud: 160, manager: 15 } as const;

it.each(["firewall", "cloud", "manager"] as const)(
  "simulated histories of a %s lose, double and hide nothing",
  async (world) => {
    const simulation = await bundle();
    try {
      const { broken, sums } = await lived(simulation, FIRST, COUNTS[world], world);
      const [first] = broken;
      expect(first === undefined ? "" : await explained(simulation, first, world)).toBe("");
      expect(sums).toMatchObject({ histories: COUNTS[world], broken: 0 });
    } finally {
      removeBundle(simulation);
    }
  },
  180_000,
);

describe("a simulated history", () => {
  let simulation = "";
  beforeAll(async () => {
    simulation = await bundle();
  });
  afterAll(() => removeBundle(simulation));

  it.each([
    ["firewall", 17],
    ["firewall", 42],
    ["manager", 7],
  ] as const)("of a %s, of seed %i, is the same to the last byte each time", async (world, seed) => {
    const [once, again] = await Promise.all([told(simulation, seed, world), told(simulation, seed, world)]);
    expect(once.split("\n").length).toBeGreaterThan(20);
    expect(again).toBe(once);
  });

  it("does not depend on the histories before it", { timeout: 180_000 }, async () => {
    const [alone, after] = await Promise.all([lived(simulation, 60, 1), lived(simulation, 53, 8)]);
    expect(after.sums).toMatchObject({ histories: 8, broken: 0 });
    expect(after.sums.last).toBe(alone.sums.last);
  });
});

describe("a fault in the product breaks a history", () => {
  const found = MUTANTS.flatMap(({ name, replacements, found: places }) => places.map((place) => ({ name, replacements, ...place })));
  it.each(found)("$name: $world, seed $seed", async ({ replacements, world, seed, rule }) => {
    const simulation = await bundle(replacements);
    try {
      const { broken } = await lived(simulation, seed, 1, world);
      expect(broken.flatMap(({ violations }) => violations.map((violation) => violation.rule))).toContain(rule);
    } finally {
      removeBundle(simulation);
    }
  });
});
