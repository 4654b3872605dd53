import { describe, expect, it } from "vitest";
import { type Judgement, judge } from "../../../src/reachability/flows/assertion.js";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import type { FlowSet, Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, type Flow, matches, verdictAt } from "./brute.js";
import {
  Dice,
  everyFlow,
  named,
  of,
  policyOf,
  randomPolicy,
  randomRule,
  range,
  ruleOf,
  SMALL,
  tcp,
  unknown,
  type World,
} from "./worlds.js";

interface Asked {
  readonly verdict: string;
  readonly some: boolean;
  readonly flows: FlowSet;
  readonly except: readonly FlowSet[];
}

function judged(policy: Policy, { flows, except, ...assertion }: Asked, bounds: Bounds = {}): Judgement {
  const model = compile([policy], [flows, ...except]);
  const [[compiled], [boxes, ...excepted]] = [model.policies, model.questions];
  if (compiled === undefined || boxes === undefined) throw new Error("a policy and a question make one of each");
  return judge(model, compiled, { ...assertion, flows: boxes, except: excepted.flat() }, bounds);
}

/** Flows that differ only in the conditions that hold. */
function byFlow(flows: readonly Flow[]): readonly (readonly Flow[])[] {
  const groups = new Map<string, Flow[]>();
  for (const flow of flows) {
    const key = [flow.from, flow.to, flow.source, flow.destination, flow.application, flow.port].join();
    groups.set(key, [...(groups.get(key) ?? []), flow]);
  }
  return [...groups.values()];
}

describe("every flow of small worlds", () => {
  const groups = byFlow(everyFlow());
  const certain: World = { ...SMALL, addresses: SMALL.addresses.slice(0, 4) };
  const seeds = seedsOf(soak ? 400 : 40);
  const drawn = (seed: number): readonly [Policy, Asked] => {
    const dice = new Dice(4000 + seed);
    const policy = randomPolicy(SMALL, dice, 1 + dice.roll(8));
    const except = dice.chance(60) ? [randomRule(SMALL, dice, "except")] : [];
    const verdict = dice.one(["allow", "deny"]);
    return [policy, { verdict, some: dice.chance(30), flows: randomRule(seed % 2 === 0 ? certain : SMALL, dice, "question"), except }];
  };
  const expected = ([policy, { verdict, some, flows, except }]: readonly [Policy, Asked]): string => {
    const isAsked = (flow: Flow): boolean => matches(flows, flow) && !except.some((each) => matches(each, flow));
    const isSought = (flow: Flow): boolean => isAsked(flow) && (verdictAt(policy, decider(policy, flow)) === verdict) === some;
    if (!groups.some((group) => group.some(isAsked))) return "empty";
    if (groups.some((group) => group.every(isSought))) return some ? "holds" : "broken";
    if (groups.some((group) => group.some(isSought))) return "not proven";
    return some ? "broken" : "holds";
  };

  it.each(seeds)("confirms, refutes or leaves open what is asserted: seed %i", (seed) => {
    expect(judged(...drawn(seed)).state).toBe(expected(drawn(seed)));
  });

  it.each<[string, (asked: Asked) => Asked]>([
    ["drops an except", (asked) => ({ ...asked, except: [] })],
    ["takes some for every one", (asked) => ({ ...asked, some: false })],
    ["asks for the other verdict", (asked) => ({ ...asked, verdict: asked.verdict === "allow" ? "deny" : "allow" })],
  ])("tell who %s", (_, misread) => {
    const isFound = seeds.some((seed) => {
      const [policy, asked] = drawn(seed);
      return judged(policy, misread(asked)).state !== expected([policy, asked]);
    });
    expect(isFound).toBe(true);
  });

  it("covers every answer", () => {
    const counts = new Map<string, number>();
    for (const seed of seeds) counts.set(expected(drawn(seed)), (counts.get(expected(drawn(seed))) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual(["broken", "empty", "holds", "not proven"]);
  });
});

describe("an assertion", () => {
  const fqdn = named("db", [], { unknowns: [unknown("fqdn", "db.example.org")] });
  const flows = ruleOf("question", "", {
    zones: { type: "interzone", from: ["a"], to: ["b"] },
    destination: of(named("host", [range(5n, 5n)])),
  });
  const nothing = { verdict: "deny", some: false, flows, except: [] };

  it("is broken by a certain allow rule, with rule and flow", () => {
    const { state, witness } = judged(policyOf(["a", "b"], [ruleOf("open", "allow")]), nothing);
    expect([state, witness?.rule.key.name, witness?.region.conditions]).toEqual(["broken", "open", []]);
  });

  it("is not proven if only an FQDN could open it", () => {
    const { state, witness } = judged(policyOf(["a", "b"], [ruleOf("open", "allow", { destination: of(fqdn) })]), nothing);
    expect([state, witness?.region.conditions.map(({ unknown: { name }, holds }) => [name, holds])]).toEqual([
      "not proven",
      [["db.example.org", true]],
    ]);
  });

  it("holds if all allowed flows are excepted, and is broken otherwise", () => {
    const rules = [ruleOf("postgres", "allow", { traffic: [{ applications: "any", services: of(named("5432", [tcp(5432)])) }] })];
    const postgres = ruleOf("except", "", { traffic: [{ applications: "any", services: of(named("5432", [tcp(5432)])) }] });
    const state = (...except: FlowSet[]) => judged(policyOf(["a", "b"], rules), { ...nothing, except }).state;
    expect([state(postgres), state()]).toEqual(["holds", "broken"]);
  });

  it("is broken by two rules of which one always applies", () => {
    const rules = [
      ruleOf("if", "allow", { destination: of(fqdn) }),
      ruleOf("if-not", "allow", { destination: { negated: true, objects: [fqdn] } }),
    ];
    expect(judged(policyOf(["a", "b"], rules), nothing).state).toBe("broken");
  });

  it("about no flows is empty, and does not hold", () => {
    expect(judged(policyOf(["a", "b"], []), { ...nothing, flows: { ...flows, source: of(named("empty", [])) } }).state).toBe("empty");
    expect(judged(policyOf(["a", "b"], []), { ...nothing, except: [flows] }).state).toBe("empty");
  });

  it("is undecided if the analysis stopped", () => {
    expect(judged(policyOf(["a", "b"], [ruleOf("open", "allow", { destination: of(fqdn) })]), nothing, { steps: 1 }).state).toBe(
      "undecided",
    );
  });
});
