import { describe, expect, it } from "vitest";
import { BrokenByChange, type BrokenFlows } from "../../../src/reachability/flows/broken-by-change.js";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import type { FlowSet, Policy } from "../../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../../seed.js";
import { decider, type Flow, matches, verdictAt } from "./brute.js";
import { Dice, everyFlow, named, of, policyOf, randomPolicy, randomRule, ruleOf, SMALL, unknown, type World } from "./worlds.js";

interface Pair {
  readonly before: Policy;
  readonly after: Policy;
  readonly verdict: string;
  readonly flows: FlowSet;
  readonly except: readonly FlowSet[];
}

function worsened({ before, after, verdict, flows, except }: Pair, bounds: Bounds = {}, certainOnly = false): BrokenFlows | undefined {
  const model = compile([before, after], [flows, ...except]);
  const [[old, now], [asked, ...excepted]] = [model.policies, model.questions];
  if (old === undefined || now === undefined || asked === undefined) throw new Error("two policies and a question make as many");
  const worsening = new BrokenByChange(model, old, now, bounds);
  return worsening.of({ verdict, some: false, flows: asked, except: excepted.flat() }, certainOnly);
}

describe("every flow of small worlds", () => {
  const certain: World = { ...SMALL, addresses: SMALL.addresses.slice(0, 4) };
  const seeds = seedsOf(soak ? 400 : 40);
  const drawn = (seed: number): Pair => {
    const dice = new Dice(9000 + seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(8));
    const others = randomPolicy(SMALL, dice, 1 + dice.roll(3)).rules.slice(0, 1);
    const after = { ...before, rules: [...others, ...before.rules.filter(() => !dice.chance(20))] };
    const except = dice.chance(60) ? [randomRule(SMALL, dice, "except")] : [];
    return { before, after, verdict: dice.one(["allow", "deny"]), flows: randomRule(certain, dice, "question"), except };
  };
  const isWorse =
    ({ before, after, verdict, flows, except }: Pair) =>
    (flow: Flow): boolean =>
      matches(flows, flow) &&
      !except.some((each) => matches(each, flow)) &&
      verdictAt(before, decider(before, flow)) === verdict &&
      verdictAt(after, decider(after, flow)) !== verdict;

  it.each(seeds)("detects whether any flow was as asserted and no longer is: seed %i", (seed) => {
    expect(worsened(drawn(seed)) !== undefined).toBe(everyFlow().some(isWorse(drawn(seed))));
  });

  it.each(seeds)("misses none if the analysis stopped: seed %i", (seed) => {
    const found = worsened(drawn(seed), { mostParts: 1 }) !== undefined;
    expect(found || !everyFlow().some(isWorse(drawn(seed)))).toBe(true);
  });

  it("covers both answers", () => {
    const found = seeds.filter((seed) => worsened(drawn(seed)) !== undefined).length;
    expect([found > 5, found < seeds.length - 5]).toEqual([true, true]);
  });
});

it("omits flows that depend on an accepted unknown", () => {
  const fqdn = named("db", [], { unknowns: [unknown("fqdn", "db.example.org")] });
  const flows = ruleOf("question", "", { zones: { type: "interzone", from: ["a"], to: ["b"] } });
  const pair = { before: policyOf(["a", "b"], []), verdict: "deny", flows, except: [] };
  const maybe = { ...pair, after: policyOf(["a", "b"], [ruleOf("open", "allow", { destination: of(fqdn) })]) };
  expect(worsened(maybe)?.rule.key.name).toBe("open");
  expect(worsened(maybe, {}, true)).toBeUndefined();
  const surely = { ...pair, after: policyOf(["a", "b"], [ruleOf("open", "allow")]) };
  expect(worsened(surely, {}, true)?.rule.key.name).toBe("open");
});
