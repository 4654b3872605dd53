import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import { type LintFinding, lint } from "../../../src/reachability/flows/lint.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, matches, verdictAt } from "./brute.js";
import { Dice, everyFlow, named, of, policyOf, randomPolicy, range, ruleOf, SMALL } from "./worlds.js";

function linted(policy: Policy, bounds: Bounds = {}): readonly LintFinding[] {
  const model = compile([policy]);
  const [compiled] = model.policies;
  if (compiled === undefined) throw new Error("a policy makes one");
  return lint(model, compiled, bounds);
}

const said = (policy: Policy, bounds?: Bounds): readonly string[] =>
  linted(policy, bounds).map(
    (finding) =>
      `${finding.rule.key.name} ${finding.kind}${finding.kind === "shadowed" ? ` by ${finding.by.map(({ key }) => key.name).join(" ")}` : ""}`,
  );

describe("every rule of small worlds", () => {
  const flows = everyFlow();
  const seeds = seedsOf(soak ? 200 : 12);

  it.each(seeds)("is shadowed, redundant or neither, according to its flows: seed %i", (seed) => {
    const dice = new Dice(1000 + seed);
    const made = randomPolicy(SMALL, dice, 3 + dice.roll(6));
    const treated = made.rules.map((rule) => (dice.roll(3) === 0 ? { ...rule, treatment: "logged" } : rule));
    const policy = seed % 2 === 0 ? made : { ...made, rules: treated };
    const deciders = flows.map((flow) => decider(policy, flow));
    const expected = policy.rules.flatMap((rule, at) => {
      const matching = flows.filter((flow) => matches(rule, flow));
      const decided = flows.filter((_, place) => deciders[place] === at);
      if (rule.key.level === "default") return [];
      const rest = { ...policy, rules: policy.rules.toSpliced(at, 1) };
      if (matching.length === 0) return [`${rule.key.name} matches-nothing`];
      if (decided.length === 0) return [`${rule.key.name} shadowed`];
      const alike = (place: number) => verdictAt(rest, place) === rule.verdict && rest.rules[place]?.treatment === rule.treatment;
      return decided.every((flow) => alike(decider(rest, flow))) ? [`${rule.key.name} redundant`] : [];
    });
    expect(linted(policy).map(({ kind, rule }) => `${rule.key.name} ${kind}`)).toEqual(expected);
  });

  it.each(seeds)("is named with a minimal set of other rules: seed %i", (seed) => {
    const dice = new Dice(2000 + seed);
    const policy = randomPolicy(SMALL, dice, 10);
    for (const finding of linted(policy)) {
      if (finding.kind !== "shadowed") continue;
      const matching = flows.filter((flow) => matches(finding.rule, flow));
      const covered = (rules: typeof finding.by): boolean => matching.every((flow) => rules.some((rule) => matches(rule, flow)));
      expect(covered(finding.by)).toBe(true);
      expect(finding.by.filter((_, at) => covered(finding.by.toSpliced(at, 1)))).toEqual([]);
    }
  });
});

describe("lint", () => {
  const halves = [named("lower", [range(0x0a000000n, 0x0a0000ffn)]), named("upper", [range(0x0a000100n, 0x0a0001ffn)])] as const;
  const net = named("net", [range(0x0a000000n, 0x0a0001ffn)]);

  it("reports two halves that shadow a rule together", () => {
    const rules = [
      ruleOf("lower", "deny", { source: of(halves[0]) }),
      ruleOf("other", "deny", { destination: of(net) }),
      ruleOf("upper", "deny", { source: of(halves[1]) }),
      ruleOf("whole", "allow", { source: of(net) }),
    ];
    expect(said(policyOf(["a", "b"], rules))).toContain("whole shadowed by lower upper");
  });

  it("names the first rule that shadows it completely", () => {
    const rules = [
      ruleOf("all", "deny", { source: of(net) }),
      ruleOf("lower", "deny", { source: of(halves[0]) }),
      ruleOf("net", "allow", { source: of(net) }),
    ];
    expect(said(policyOf(["a"], rules))).toEqual(["lower shadowed by all", "net shadowed by all"]);
  });

  it("finds rules that match nothing: an empty group, no zone", () => {
    const rules = [
      ruleOf("empty", "allow", { source: of(named("empty", [])) }),
      ruleOf("zones", "allow", { zones: { type: "interzone", from: ["a"], to: ["a"] } }),
      ruleOf("negated", "allow", { source: { negated: true, objects: [named("empty", [])] } }),
    ];
    expect(said(policyOf(["a", "b"], rules))).toEqual(["empty matches-nothing", "zones matches-nothing"]);
  });

  it("calls an intrazone allow rule redundant, because the default allows it", () => {
    const rules = [ruleOf("inside", "allow", { zones: { type: "universal", from: ["a"], to: ["a"] } })];
    expect(said(policyOf(["a", "b"], rules))).toEqual(["inside redundant"]);
  });

  it("calls no rule redundant if its flows would be treated differently without it", () => {
    const zones = { type: "universal", from: ["a"], to: ["a"] } as const;
    expect(said(policyOf(["a", "b"], [ruleOf("logs", "allow", { zones, treatment: "logs" })]))).toEqual([]);
    const twice = [ruleOf("first", "allow", { zones, treatment: "logs" }), ruleOf("last", "allow", { treatment: "logs" })];
    expect(said(policyOf(["a", "b"], twice))).toEqual(["first redundant"]);
  });

  it("reports where it stopped, and calls nothing shadowed there", () => {
    const quarters = [0n, 1n, 2n, 3n].map((at) => named(`quarter-${at}`, [range(at * 64n, at * 64n + 63n)]));
    const rules = [
      ...quarters.map((each) => ruleOf(each.name, "deny", { source: of(each) })),
      ruleOf("whole", "allow", { source: of(named("all", [range(0n, 255n)])) }),
    ];
    expect(said(policyOf(["a"], rules))).toContain("whole shadowed by quarter-0 quarter-1 quarter-2 quarter-3");
    const few = said(policyOf(["a"], rules), { steps: 12 });
    expect(few).toContain("whole undecided");
    expect(few.filter((each) => each.includes("shadowed"))).toEqual([]);
  });
});
