import { describe, expect, it } from "vitest";
import { compile } from "../../src/insight/compile.js";
import { type Difference, differenceOf } from "../../src/insight/difference.js";
import type { Bounds } from "../../src/insight/effort.js";
import type { Policy } from "../../src/insight/policy.js";
import { decider, type Flow, verdictAt } from "./brute.js";
import { rowReader } from "./in-row.js";
import { Dice, edited, everyFlow, randomPolicy, SMALL } from "./worlds.js";

const soak = process.env.PLUMBLINE_SOAK !== undefined;

function between(before: Policy, after: Policy, bounds: Bounds): Difference {
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return differenceOf(model, one, other, bounds);
}

/** What rows say of a flow that rules do not, or the other way round. */
function mistakes(before: Policy, after: Policy, flows: readonly Flow[], bounds: Bounds = {}): readonly unknown[] {
  const { rows, undecided } = between(before, after, bounds);
  const rowsWith = rowReader(rows, before, after);
  const wrong = flows.filter((flow) => {
    const [one, other] = [decider(before, flow), decider(after, flow)];
    const [was, is] = [verdictAt(before, one), verdictAt(after, other)];
    const found = rowsWith(flow);
    if (was === is) return found.length > 0;
    const names = (policy: Policy, at: number) => policy.rules[at]?.key.name ?? "no rule";
    return (
      found.length !== 1 ||
      found.some(
        (row) =>
          row.before.verdict !== was ||
          row.after.verdict !== is ||
          !row.before.rules.some(({ key }) => key.name === names(before, one)) ||
          !row.after.rules.some(({ key }) => key.name === names(after, other)),
      )
    );
  });
  return [...undecided, ...wrong];
}

describe("every flow of small worlds", () => {
  const flows = everyFlow();

  const seeds = Array.from({ length: soak ? 500 : 40 }, (_, seed) => seed);
  const versions = (seed: number): readonly [Policy, Policy] => {
    const dice = new Dice(seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(6));
    return [before, seed % 4 === 0 ? randomPolicy(SMALL, dice, 1 + dice.roll(6)) : edited(SMALL, dice, before, 1 + dice.roll(3))];
  };

  it.each(seeds)("stands in exactly the row that the rules say: seed %i", (seed) => {
    expect(mistakes(...versions(seed), flows)).toEqual([]);
  });

  it.each(seeds)("stands in exactly the row that the rules say where every row is a whole with holes: seed %i", (seed) => {
    expect(mistakes(...versions(seed), flows, { mostParts: 0 })).toEqual([]);
  });

  it("differs often, and often does not", () => {
    const differing = seeds.map((seed) => {
      const [before, after] = versions(seed);
      return flows.filter((flow) => verdictAt(before, decider(before, flow)) !== verdictAt(after, decider(after, flow))).length;
    });
    expect(differing.filter((count) => count === 0).length).toBeGreaterThan(seeds.length / 10);
    expect(differing.filter((count) => count > 10).length).toBeGreaterThan(seeds.length / 3);
  });
});
