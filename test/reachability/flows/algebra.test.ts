import { describe, expect, it } from "vitest";
import { compile } from "../../../src/reachability/flows/compile.js";
import type { Difference } from "../../../src/reachability/flows/difference.js";
import { lint } from "../../../src/reachability/flows/lint.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { applicationsOf } from "./in-row.js";
import { between } from "./mistakes.js";
import { FlowDiagrams } from "./set-equality.js";
import { Dice, edited, largeWorld, randomPolicy } from "./worlds.js";

const seeds = seedsOf(soak ? 100 : 3);

function drawn(seed: number): readonly [before: Policy, after: Policy] {
  const dice = new Dice(7000 + seed);
  const world = largeWorld(dice, 30);
  const before = randomPolicy(world, dice, 25);
  return [before, edited(world, dice, before, 5)];
}

/** Flows of all rows of a direction. */
function flowsOf(diagrams: FlowDiagrams, { rows }: Difference, before: string): number {
  const chosen = rows.filter((row) => row.before.verdict === before);
  return diagrams.regions(chosen.flatMap(({ extent }) => (extent.kind === "boxes" ? extent.regions() : [])));
}

describe.each(seeds)("seed %i", (seed) => {
  const [before, after] = drawn(seed);

  it("a policy does not differ from itself or from an equal one", () => {
    expect(between(before, before).rows).toEqual([]);
    expect(between(before, structuredClone(before)).rows).toEqual([]);
  });

  it("one direction opens exactly the flows that the other closes", () => {
    const diagrams = new FlowDiagrams(before.zones, [...new Set([before, after].flatMap(applicationsOf))]);
    const [there, back] = [between(before, after), between(after, before)];
    expect(there.rows.length).toBeGreaterThan(0);
    for (const [was, is] of [
      ["allow", "deny"],
      ["deny", "allow"],
    ] as const)
      expect(flowsOf(diagrams, there, was)).toBe(flowsOf(diagrams, back, is));
  });

  it("removing a rule that lint names changes nothing, and removing another changes something", () => {
    const model = compile([before]);
    const [compiled] = model.policies;
    const named = new Set(compiled === undefined ? [] : lint(model, compiled).map(({ rule }) => rule.key.name));
    for (const [at, rule] of before.rules.entries()) {
      if (rule.key.level === "default") continue;
      const { rows } = between(before, { ...before, rules: before.rules.toSpliced(at, 1) });
      expect([rule.key.name, rows.length === 0]).toEqual([rule.key.name, named.has(rule.key.name)]);
    }
  });
});
