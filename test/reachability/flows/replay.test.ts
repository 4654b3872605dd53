import { describe, expect, it } from "vitest";
import { groupBy } from "../../../src/core/group-by.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import { Replay, type Replayed, type Session } from "../../../src/reachability/flows/replay.js";
import { decider, type Flow, verdictAt } from "./brute.js";
import { Dice, edited, everyFlow, largeWorld, named, of, policyOf, randomFlow, randomPolicy, ruleOf, SMALL, unknown } from "./worlds.js";

const NO_RULE = "no rule";

function replayOf(before: Policy, after: Policy): Replay {
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return new Replay(model, one, other);
}

const ruleName = (policy: Policy, flow: Flow): string => policy.rules[decider(policy, flow)]?.key.name ?? NO_RULE;

/** The log records of a target for a flow that it judges by a policy. */
function logged(policy: Policy, { holding: _, ...flow }: Flow, application: string | undefined = flow.application): Session {
  return { ...flow, application, rule: { name: ruleName(policy, { ...flow, holding: _ }), uuid: undefined } };
}

const changes = (before: Policy, after: Policy, flow: Flow): boolean =>
  verdictAt(before, decider(before, flow)) !== verdictAt(after, decider(after, flow));

/** Flows that a log does not distinguish. */
function expected(before: Policy, after: Policy, flows: readonly Flow[]): Replayed["effect"] {
  const found = new Set(flows.map((flow) => changes(before, after, flow)));
  return found.size > 1 ? "may change" : found.has(true) ? "changed" : "same";
}

describe("sessions of small worlds", () => {
  const flows = everyFlow(false);
  const seeds = Array.from({ length: 12 }, (_, seed) => seed);
  const versions = (seed: number): readonly [Policy, Policy] => {
    const dice = new Dice(seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(6));
    return [before, edited(SMALL, dice, before, 1 + dice.roll(3))];
  };

  it.each(seeds)("are reported exactly as far as the log distinguishes them: seed %i", (seed) => {
    const [before, after] = versions(seed);
    const replay = replayOf(before, after);
    const alike = groupBy(flows, (flow) =>
      JSON.stringify([{ ...logged(before, flow), source: `${flow.source}`, destination: `${flow.destination}` }]),
    );
    const wrong = [...alike.values()].filter((group) => {
      const [flow] = group;
      const judged = flow === undefined ? undefined : replay.judge(logged(before, flow));
      return judged?.agrees !== true || judged.effect !== expected(before, after, group);
    });
    expect(wrong.map(([flow]) => flow)).toEqual([]);
  });

  it("with an unknown application are judged for each possible application", () => {
    const [before, after] = versions(3);
    const replay = replayOf(before, after);
    // The world's applications, and one for all that no rule names.
    const all = everyFlow(true).filter(({ source, destination, port }) => source < 4n && destination < 4n && port !== 22);
    const alike = groupBy(all, (flow) => {
      const { application: _, ...session } = logged(before, flow);
      return JSON.stringify([{ ...session, source: `${flow.source}`, destination: `${flow.destination}` }]);
    });
    for (const group of alike.values()) {
      const [flow] = group;
      const session = flow === undefined ? undefined : { ...logged(before, flow), application: undefined };
      expect(session && replay.judge(session)?.effect).toBe(expected(before, after, group));
    }
  });

  it("change, stay, or depend on unknowns, each often", () => {
    const effects = seeds.flatMap((seed) => {
      const [before, after] = versions(seed);
      const replay = replayOf(before, after);
      return flows.map((flow) => replay.judge(logged(before, flow))?.effect);
    });
    for (const effect of ["same", "changed", "may change"]) expect(effects.filter((each) => each === effect).length).toBeGreaterThan(100);
  });
});

it("never contradicts the rules in a large world", () => {
  const dice = new Dice(5);
  const world = largeWorld(dice, 60);
  const before = randomPolicy(world, dice, 80);
  const after = edited(world, dice, before, 30);
  const replay = replayOf(before, after);
  let changed = 0;
  for (let n = 0; n < 3000; n++) {
    const flow = randomFlow(world, dice, dice.chance(80) ? dice.one(before.rules) : undefined);
    const judged = replay.judge(logged(before, flow));
    expect(judged?.agrees).toBe(true);
    if (judged?.effect === "same" || judged?.effect === "changed") expect(judged.effect === "changed").toBe(changes(before, after, flow));
    if (judged?.effect === "changed") changed++;
  }
  expect(changed).toBeGreaterThan(30);
});

describe("sessions from several source ports that are reported as one", () => {
  const ports = { protocol: 6, first: 0, last: 65_535, sourcePorts: [{ first: 2000, last: 2999 }] };
  const traffic = [{ applications: "any" as const, services: of(named("from-2000", [ports])) }];
  const before = policyOf(["in", "out"], [ruleOf("all", "allow")]);
  const after = policyOf(["in", "out"], [ruleOf("some", "deny", { traffic }), ruleOf("all", "allow")]);
  const flow: Flow = {
    ...{ from: "in", to: "out", source: 1n, destination: 9n, application: "ssl", protocol: 6, port: 443 },
    ...{ sourcePort: 0, user: "unknown", holding: new Set() },
  };

  it.each([
    [1024, 1999, "same"],
    [2000, 2999, "changed"],
    [1999, 2000, "may change"],
    [1024, 65_535, "may change"],
    [2500, undefined, "changed"],
    [3000, 65_535, "same"],
  ])("from %i to %s: %s", (sourcePort, lastSourcePort, effect) => {
    const replay = replayOf(before, after);
    expect(replay.judge({ ...logged(before, flow), sourcePort, lastSourcePort })?.effect).toBe(effect);
    // Flows of only the first port differ.
    expect(replay.judge({ ...logged(before, flow), sourcePort })?.effect).toBe(sourcePort < 2000 || sourcePort > 2999 ? "same" : "changed");
  });
});

describe("evidence in the log about unknowns", () => {
  const fqdn = of(named("site", [], { unknowns: [unknown("fqdn", "site.example.org")] }));
  const flow: Flow = {
    ...{ from: "in", to: "out", source: 1n, destination: 9n, application: "ssl", protocol: 6, port: 443 },
    ...{ sourcePort: 40_000, user: "unknown", holding: new Set() },
  };
  const before = policyOf(["in", "out"], [ruleOf("site", "allow", { destination: fqdn }), ruleOf("rest", "deny")]);
  const after = policyOf(["in", "out"], [ruleOf("rest", "deny")]);
  const session = (name: string, uuid?: string): Session => ({ ...logged(before, flow), rule: { name, uuid } });

  it("is used: a session that matched the rule with the FQDN went to that FQDN", () => {
    const replay = replayOf(before, after);
    expect(replay.judge(session("site"))).toMatchObject({ effect: "changed", verdicts: ["allow", "deny"], agrees: true });
    expect(replay.judge(session("rest"))).toMatchObject({ effect: "same", agrees: true });
  });

  it("is not used if the rules cannot have decided so", () => {
    const judged = replayOf(before, after).judge(session("interzone-default"));
    expect(judged).toMatchObject({ effect: "may change", agrees: false });
    expect(judged?.before.map(({ key }) => key.name)).toEqual(["site", "rest"]);
  });

  it("finds a renamed rule by its uuid", () => {
    const renamed = {
      ...before,
      rules: before.rules.map((rule, at) => (at === 0 ? { ...rule, key: { ...rule.key, uuid: "u-1" } } : rule)),
    };
    expect(replayOf(renamed, after).judge(session("old-name", "u-1"))).toMatchObject({ effect: "changed", agrees: true });
  });

  it("does not cover an unknown zone", () => {
    expect(replayOf(before, after).judge({ ...session("rest"), from: "elsewhere" })).toBeUndefined();
  });
});
