import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import { newlyIdle } from "../../../src/reachability/flows/newly-idle.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { decider } from "./brute.js";
import { Dice, everyFlow, named, of, policyOf, randomPolicy, range, ruleOf, SMALL } from "./worlds.js";

function idle(before: Policy, after: Policy, bounds: Bounds = {}): string[] {
  const model = compile([before, after]);
  const [old, now] = model.policies;
  if (old === undefined || now === undefined) throw new Error("two policies make two");
  return newlyIdle(model, old, now, bounds).map(({ kind, rule, isNew }) => {
    expect(isNew).toBe(before.rules.every(({ key }) => key.name !== rule.key.name));
    return `${kind} ${rule.key.name}`;
  });
}

/** Names of rules that decide no flow. */
function idleBy(policy: Policy): ReadonlySet<string> {
  const deciding = new Set(everyFlow().map((flow) => decider(policy, flow)));
  return new Set(policy.rules.flatMap(({ key }, at) => (key.level === "default" || deciding.has(at) ? [] : [key.name])));
}

describe("every flow of small worlds", () => {
  const seeds = seedsOf(soak ? 400 : 40);
  const drawn = (seed: number): readonly [Policy, Policy] => {
    const dice = new Dice(12_000 + seed);
    const before = randomPolicy(SMALL, dice, 2 + dice.roll(8));
    const [first, ...rest] = randomPolicy(SMALL, dice, 1).rules;
    const kept = before.rules.filter(() => !dice.chance(15));
    const put = first === undefined ? [] : [{ ...first, key: { ...first.key, name: "put" } }];
    return [
      before,
      { ...before, rules: dice.chance(30) ? [...kept.slice(0, 2), ...put, ...kept.slice(2)] : [...put, ...kept, ...rest.slice(0, 0)] },
    ];
  };

  it.each(seeds)("finds exactly the rules that no longer decide anything: seed %i", (seed) => {
    const [before, after] = drawn(seed);
    const was = idleBy(before);
    const expected = [...idleBy(after)].filter((name) => !was.has(name));
    expect(idle(before, after).map((text) => text.split(" ")[1])).toEqual(expected);
  });

  it("finds some", () => {
    expect(seeds.flatMap((seed) => idle(...drawn(seed))).length).toBeGreaterThan(5);
  });
});

it("names shadowing rules, rules that match nothing, and undecided rules of the change", () => {
  const host = of(named("host", [range(5n, 5n)]));
  const below = ruleOf("below", "deny", { destination: host });
  const before = policyOf(["a", "b"], [below]);
  expect(idle(before, policyOf(["a", "b"], [ruleOf("all", "allow"), below]))).toEqual(["shadowed below"]);
  expect(idle(before, policyOf(["a", "b"], [{ ...below, destination: of(named("host", [])) }]))).toEqual(["matches-nothing below"]);
  expect(idle(policyOf(["a", "b"], []), policyOf(["a", "b"], [ruleOf("all", "allow"), below]), { steps: 1 })).toContain("undecided below");
  expect(idle(before, policyOf(["a", "b"], [ruleOf("all", "allow"), below]), { steps: 1 })).not.toContain("undecided below");
});
