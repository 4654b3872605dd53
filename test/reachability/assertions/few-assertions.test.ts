import { expect, it } from "vitest";
import { judgeIn } from "../../../src/reachability/assertions/format-assertion.js";
import type { AssertionQuestion, FlowQuestion } from "../../../src/reachability/changes/analysis.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { Dice, edited, randomPolicy, randomRule, SMALL } from "../flows/worlds.js";

/** More copies of an assertion than the number for which unconcerned rules are omitted. */
const MANY = 60;

it.each(seedsOf(soak ? 500 : 60))("are judged with the concerned rules as with all rules: seed %i", (seed) => {
  const dice = new Dice(4600 + seed);
  const before = randomPolicy(SMALL, dice, 2 + dice.roll(8));
  const after = edited(SMALL, dice, before, 2);
  const flows = randomRule(SMALL, dice, "question");
  const asked: FlowQuestion = { flows, except: dice.chance(30) ? [randomRule(SMALL, dice, "except")] : [] };
  const assertion = { said: { name: "one", verdict: dice.one(["allow", "deny"]) }, some: dice.chance(30) } as unknown as AssertionQuestion;
  const judged = (copies: number) => {
    const version = (policy: Policy) => ({ policy, asked: Array.from({ length: copies }, () => asked) });
    const assertions = Array.from({ length: copies }, () => assertion);
    const [first] = judgeIn({ scope: "vsys1", assertions, versions: [version(before), version(after)] });
    return { state: first?.state, before: first?.before, isByChange: first?.isByChange, hasWitness: first?.witness !== undefined };
  };
  expect(judged(1)).toEqual(judged(MANY));
});
