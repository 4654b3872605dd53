import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import type { Policy } from "../../../../src/reachability/flows/policy.js";
import { policiesOf } from "../../../../src/targets/panos/policy/policies.js";
import { between, mistakes } from "../../../reachability/flows/mistakes.js";
import { Dice, edited, randomFlow } from "../../../reachability/flows/worlds.js";
import { seedOf, soak } from "../../../seed.js";
import { Brute, parse } from "./brute.js";
import { ask, evaluate } from "./evaluate.js";
import { randomOf } from "./random.js";
import { REAL, Spoken, worldOf } from "./real.js";

/**
 * Flows for all policies of one configuration. A soak runs a million for all configurations, and draws new facts and edits for each
 * thousand.
 */
const FLOWS = soak ? Math.ceil(1_000_000 / REAL.length) : 2000;
const ROUND = 1000;

const policiesIn = (xml: string): readonly Policy[] => {
  const [policies = []] = policiesOf([parseXml(xml)]);
  return [...new Map(policies.map((policy) => [policy.scope, policy])).values()];
};

describe.each(REAL)("a configuration of a device: $name", ({ xml }) => {
  const policies = policiesIn(xml);
  const rounds = Math.ceil(FLOWS / ROUND / policies.length);

  it.each(policies)("decides each flow like an independent reader of the text, by the same rule: $scope", (policy) => {
    const random = randomOf(seedOf(policy.rules.length));
    const [spoken, text] = [new Spoken(xml), parse(xml)];
    const deciding = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const facts = spoken.facts(random);
      const brute = new Brute(text, policy.scope, facts);
      for (let flows = 0; flows < ROUND; flows++) {
        const flow = spoken.flow(random, flows % 3 === 0 ? undefined : policy.rules[flows % policy.rules.length]);
        const said = brute.decide(flow);
        deciding.add(said.rule);
        const found = evaluate(policy, ask(flow, facts));
        if (found.rule !== said.rule || found.allowed !== said.allowed) expect(found, JSON.stringify(flow)).toEqual(said);
      }
    }
    expect(deciding.size).toBeGreaterThan(policy.rules.length > 2 ? 2 : 1);
  });

  it.each(policies)("has each flow in the expected row after edits: $scope", (policy) => {
    const said = policy.rules.flatMap(({ zones: { from, to } }) => [from, to].flatMap((names) => (names === "any" ? [] : names)));
    const zones = [...new Set([...policy.zones, ...said])];
    const before: Policy = { ...policy, zones: zones.length > 1 ? zones : ["one", "other"] };
    const dice = new Dice(seedOf(before.rules.length));
    const world = worldOf(before);
    let differing = 0;
    for (let round = 0; round < rounds; round++) {
      const after = edited(world, dice, before, 4);
      const difference = between(before, after);
      const rules = [...difference.rows.flatMap((row) => [...row.before.rules, ...row.after.rules]), ...after.rules];
      const flows = Array.from({ length: ROUND }, () => randomFlow(world, dice, dice.one(rules)));
      expect(mistakes(before, after, difference, flows)).toEqual([]);
      differing += difference.rows.length;
    }
    expect(differing).toBeGreaterThan(0);
  });
});
