import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import type { Region } from "../../../src/reachability/flows/region.js";
import { seedOf, soak } from "../../seed.js";
import { applicationsOf } from "./in-row.js";
import { between } from "./mistakes.js";
import { FALSE } from "./robdd.js";
import { FlowDiagrams } from "./set-equality.js";
import { Dice, edited, largeWorld, randomPolicy, type World } from "./worlds.js";

/** Applications that no rule names are represented by one, because rules do not distinguish them. */
const diagramsOf = (world: World, ...policies: readonly Policy[]): FlowDiagrams =>
  new FlowDiagrams(world.zones, [...new Set(policies.flatMap(applicationsOf))]);

function regionsBetween(before: Policy, after: Policy, bounds: Bounds): readonly Region[] {
  const { rows, undecided } = between(before, after, bounds);
  expect(undecided).toEqual([]);
  return rows.flatMap(({ extent }) => {
    if (extent.kind === "holes") throw new Error("a whole with holes is no list of regions");
    return extent.regions();
  });
}

describe("rows and a decision diagram of both policies", () => {
  const sizes = soak ? [10, 30, 100, 300, 1000] : [5, 10, 30];
  it.each(sizes.flatMap((rules) => [1, 2, 3].map((seed) => ({ rules, seed }))))(
    "contain the same flows: $rules rules, seed $seed",
    ({ rules, seed }) => {
      const dice = new Dice(seedOf(5000 + 10 * rules + seed));
      const world = largeWorld(dice, 2 * rules);
      const before = randomPolicy(world, dice, rules);
      const after = edited(world, dice, before, 4);
      const diagrams = diagramsOf(world, before, after);
      const regions = regionsBetween(before, after, { mostParts: 100_000, steps: Number.POSITIVE_INFINITY });
      expect(diagrams.regions(regions)).toBe(diagrams.difference(before, after));
    },
  );

  it("contain no flow twice, and often some flows", () => {
    const dice = new Dice(seedOf(6000));
    const world = largeWorld(dice, 20);
    const before = randomPolicy(world, dice, 10);
    const after = edited(world, dice, before, 6);
    const diagrams = diagramsOf(world, before, after);
    const each = regionsBetween(before, after, {}).map((region) => diagrams.regions([region]));
    expect(each.length).toBeGreaterThan(3);
    let all = FALSE;
    for (const node of each) {
      expect(diagrams.both(all, node)).toBe(FALSE);
      all = diagrams.either(all, node);
    }
  });
});
