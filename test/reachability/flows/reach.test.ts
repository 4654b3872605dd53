import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import type { FlowSet, Policy, Rule } from "../../../src/reachability/flows/policy.js";
import { type Answer, reach } from "../../../src/reachability/flows/reach.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, type Flow, matches } from "./brute.js";
import { applicationsOf, inRegion } from "./in-row.js";
import { Dice, everyFlow, named, of, policyOf, randomPolicy, randomRule, range, ruleOf, SMALL, unknown } from "./worlds.js";

/** Applications that the policy or the question names: all others are one. */
const namedIn = (policy: Policy, question: Rule): ReadonlySet<string> =>
  new Set(applicationsOf({ ...policy, rules: [...policy.rules, question] }));

function asked(policy: Policy, question: FlowSet, bounds: Bounds = {}): readonly Answer[] {
  const model = compile([policy], [question]);
  const [[compiled], [boxes]] = [model.policies, model.questions];
  if (compiled === undefined || boxes === undefined) throw new Error("a policy and a question make one of each");
  return reach(model, compiled, boxes, bounds);
}

describe("every flow of small worlds", () => {
  const flows = everyFlow();
  const seeds = seedsOf(soak ? 200 : 12);
  const drawn = (seed: number): readonly [Policy, Rule] => {
    const dice = new Dice(3000 + seed);
    return [randomPolicy(SMALL, dice, 1 + dice.roll(8)), randomRule(SMALL, dice, "question")];
  };

  it.each(seeds)("is in the answer of the rule that decides it: seed %i", (seed) => {
    const [policy, question] = drawn(seed);
    const answers = asked(policy, question);
    const applications = namedIn(policy, question);
    const inAnswer = ({ flows: those }: Answer, flow: Flow): boolean =>
      those.kind === "boxes" && those.regions.some((region) => inRegion(region, flow, applications));
    const wrong = flows.filter((flow) => {
      const found = answers.filter((answer) => inAnswer(answer, flow)).map(({ rule }) => rule.key.name);
      const expected = matches(question, flow) ? [policy.rules[decider(policy, flow)]?.key.name] : [];
      return found.join() !== expected.join();
    });
    expect(wrong).toEqual([]);
  });

  it.each(seeds)("has its rule in the answers if they are not split into boxes: seed %i", (seed) => {
    const [policy, question] = drawn(seed);
    const places = flows.flatMap((flow) => (matches(question, flow) ? [decider(policy, flow)] : []));
    const names = [...new Set(places)].sort((a, b) => a - b).map((at) => policy.rules[at]?.key.name);
    const answers = asked(policy, question, { mostParts: 0 });
    const applications = namedIn(policy, question);
    expect(answers.map(({ rule }) => rule.key.name)).toEqual(names);
    for (const { rule, flows: those } of answers) {
      const region = those.kind === "example" ? those.region : those.regions[0];
      const inside = flows.filter((flow) => region !== undefined && inRegion(region, flow, applications));
      expect(inside.every((flow) => policy.rules[decider(policy, flow)]?.key.name === rule.key.name)).toBe(true);
    }
  });
});

describe("reach", () => {
  const fqdn = named("db", [], { unknowns: [unknown("fqdn", "db.example.org")] });
  const rules = [ruleOf("to-db", "allow", { destination: of(fqdn) })];
  const question = ruleOf("question", "", {
    zones: { type: "interzone", from: ["a"], to: ["b"] },
    destination: of(named("host", [range(5n, 5n)])),
  });

  it("shows the condition under which a rule decides", () => {
    const answers = asked(policyOf(["a", "b"], rules), question);
    expect(
      answers.map(({ verdict, rule, conditions }) => [
        verdict,
        rule.key.name,
        conditions.map((all) => all.map(({ subject, unknown: { name }, holds }) => `${subject} ${name} ${holds}`)),
      ]),
    ).toEqual([
      ["allow", "to-db", [["destination db.example.org true"]]],
      ["deny", "interzone-default", [["destination db.example.org false"]]],
    ]);
  });

  it("has no answer for an empty question", () => {
    expect(asked(policyOf(["a", "b"], rules), { ...question, destination: of(named("empty", [])) })).toEqual([]);
  });
});
