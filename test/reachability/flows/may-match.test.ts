import { expect, it } from "vitest";
import { meeting } from "../../../src/reachability/flows/may-match.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, matches } from "./brute.js";
import { Dice, everyFlow, named, of, policyOf, randomPolicy, randomRule, range, ruleOf, SMALL, unknown } from "./worlds.js";

const names = (rules: readonly { readonly key: { readonly name: string } }[]) => rules.map(({ key }) => key.name);

it.each(seedsOf(soak ? 400 : 30))("gives every flow of a question to the rule that decides it: seed %i", (seed) => {
  const dice = new Dice(7100 + seed);
  const [policy, question] = [randomPolicy(SMALL, dice, 1 + dice.roll(8)), randomRule(SMALL, dice, "question")];
  const left = meeting(policy, [question]);
  const wrong = everyFlow().filter((flow) => {
    if (!matches(question, flow)) return false;
    return policy.rules[decider(policy, flow)] !== left.rules[decider(left, flow)];
  });
  expect(wrong).toEqual([]);
});

it("omits rules of other zones and addresses, but no rule that an unknown may make match", () => {
  const [host, other] = [named("host", [range(5n, 5n)]), named("other", [range(6n, 9n)])];
  const guest = named("guest", [range(6n, 6n)], { unknowns: [unknown("fqdn", "guest.example.org")] });
  const rules = [
    ruleOf("host", "allow", { source: of(host) }),
    ruleOf("in-group", "allow", { source: of(named("group", [], { members: [other, host] })) }),
    ruleOf("other", "allow", { source: of(other) }),
    ruleOf("not-host", "allow", { source: { negated: true, objects: [host] } }),
    ruleOf("guest", "allow", { source: of(named("guests", [], { members: [guest] })) }),
    ruleOf("elsewhere", "allow", { destination: of(other) }),
    ruleOf("from-b", "allow", { zones: { type: "universal", from: ["b"], to: "any" } }),
    ruleOf("nowhere", "allow", { source: of(other), destination: of(other) }),
  ];
  const question = ruleOf("question", "", {
    source: of(host),
    destination: of(host),
    zones: { type: "universal", from: ["a"], to: ["b"] },
  });
  const policy = policyOf(["a", "b"], rules);
  const defaults = names(policy.rules).filter((name) => !names(rules).includes(name));
  expect(names(meeting(policy, [question]).rules)).toEqual(["host", "in-group", "not-host", "guest", ...defaults]);
  expect(names(meeting(policy, [question], 1).rules)).toEqual(names(policy.rules).filter((name) => name !== "nowhere"));
});
