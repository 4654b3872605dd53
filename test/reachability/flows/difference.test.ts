import { describe, expect, it } from "vitest";
import type { Policy, Rule } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, verdictAt } from "./brute.js";
import { between, mistakes } from "./mistakes.js";
import { Dice, edited, everyFlow, randomPolicy, SMALL } from "./worlds.js";

describe("every flow of small worlds", () => {
  // In a soak also one of each kind beyond the world's objects.
  const flows = everyFlow(soak);

  const seeds = seedsOf(soak ? 500 : 20);
  const versions = (seed: number): readonly [Policy, Policy] => {
    const dice = new Dice(seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(6));
    return [before, seed % 4 === 0 ? randomPolicy(SMALL, dice, 1 + dice.roll(6)) : edited(SMALL, dice, before, 1 + dice.roll(3))];
  };

  it.each(seeds)("is in exactly the expected row: seed %i", (seed) => {
    expect(mistakes(...versions(seed), between(...versions(seed)), flows)).toEqual([]);
  });

  it.each(seeds)("is in exactly the expected row if every row is a box with exceptions: seed %i", (seed) => {
    expect(mistakes(...versions(seed), between(...versions(seed), { mostParts: 0 }), flows)).toEqual([]);
  });

  // Worlds in which flows of one row depend on other conditions than the first one.
  it.each([261_128, 261_181])("has every condition of its row, or the row mentions others: seed %i", (seed) => {
    const difference = between(...versions(seed), { mostParts: 0 });
    expect(mistakes(...versions(seed), difference, everyFlow(true))).toEqual([]);
  });

  it("differs often, and often does not", () => {
    const differing = seeds.map((seed) => {
      const [before, after] = versions(seed);
      return flows.filter((flow) => verdictAt(before, decider(before, flow)) !== verdictAt(after, decider(after, flow))).length;
    });
    expect(differing.filter((count) => count === 0).length).toBeGreaterThan(seeds.length / 10);
    expect(differing.filter((count) => count > 10).length).toBeGreaterThan(seeds.length / 3);
  });

  /** Answers of an engine that misreads rules, produced by giving the real engine the misread rules. */
  const MISREADINGS: ReadonlyMap<string, (rule: Rule) => Rule> = new Map<string, (rule: Rule) => Rule>([
    ["an FQDN as empty", withoutUnknowns],
    ["a negated list as the list", (rule) => ({ ...rule, source: rule.source === "any" ? "any" : { ...rule.source, negated: false } })],
    [
      "interzone as universal",
      (rule) => ({ ...rule, zones: { ...rule.zones, type: rule.zones.type === "interzone" ? "universal" : rule.zones.type } }),
    ],
    [
      "intrazone as universal",
      (rule) => ({ ...rule, zones: { ...rule.zones, type: rule.zones.type === "intrazone" ? "universal" : rule.zones.type } }),
    ],
    ["no service as any", (rule) => ({ ...rule, traffic: rule.traffic.map((each) => ({ ...each, services: "any" })) })],
    ["one kind of traffic of two", (rule) => ({ ...rule, traffic: rule.traffic.slice(0, 1) })],
  ]);

  it.each([...MISREADINGS.keys()])("detects a misreading that takes %s", (name) => {
    const read = MISREADINGS.get(name) ?? ((rule) => rule);
    const misread = (policy: Policy): Policy => ({ ...policy, rules: policy.rules.map(read) });
    const isFound = seeds.some((seed) => {
      const [before, after] = versions(seed);
      return mistakes(before, after, between(misread(before), misread(after)), flows).length > 0;
    });
    expect(isFound).toBe(true);
  });

  it("detects a misreading that takes the last matching rule", () => {
    const turned = (policy: Policy): Policy => ({
      ...policy,
      rules: [...policy.rules.slice(0, -2).toReversed(), ...policy.rules.slice(-2)],
    });
    const isFound = seeds.some((seed) => {
      const [before, after] = versions(seed);
      return mistakes(before, after, between(turned(before), turned(after)), flows).length > 0;
    });
    expect(isFound).toBe(true);
  });
});

function withoutUnknowns(rule: Rule): Rule {
  const known = (match: Rule["source"]): Rule["source"] =>
    match === "any" ? match : { ...match, objects: match.objects.map((object) => ({ ...object, unknowns: [] })) };
  return { ...rule, source: known(rule.source), destination: known(rule.destination) };
}
