import { expect, it } from "vitest";
import { addressNumber } from "../../src/core/address-range.js";
import type { FlowSets, FlowWords, ReachRow } from "../../src/outcome/insight.js";
import { insightBetween } from "../../src/reachability/changes/format-difference.js";
import type { Bounds } from "../../src/reachability/flows/budget.js";
import { OTHER_APPLICATION } from "../../src/reachability/flows/coordinates.js";
import type { Policy } from "../../src/reachability/flows/policy.js";
import { formatConditions } from "../../src/reachability/format/format-flow.js";
import { insightLines } from "../../src/report/insight.js";
import { plain } from "../../src/report/style.js";
import { decider, type Flow, truth, verdictAt } from "../reachability/flows/brute.js";
import { Dice, edited, everyFlow, named, of, policyOf, randomPolicy, range, ruleOf, SMALL, unknown } from "../reachability/flows/worlds.js";
import { seedsOf, soak } from "../seed.js";

const unknowns = [
  ...SMALL.circumstances,
  ...SMALL.addresses.flatMap((object) => [object, ...object.members]).flatMap((object) => object.unknowns),
];
/** By the text of a condition: whether it holds for a flow. */
const literals = new Map(
  unknowns.flatMap((each) =>
    (["source", "destination", "circumstance"] as const).flatMap((subject) =>
      [true, false].map((holds) => {
        const text = formatConditions([{ subject, unknown: each, holds }]);
        return [text, (flow: Flow) => flow.holding.has(truth(subject, each)) === holds] as const;
      }),
    ),
  ),
);

function holds(condition: string, flow: Flow): boolean {
  return condition.split(", and ").every((text) => {
    const literal = literals.get(text);
    if (literal === undefined) throw new Error(`No condition reads: ${text}`);
    return literal(flow);
  });
}

function inSets(sets: FlowSets, flow: Flow, applications: ReadonlySet<string>): boolean {
  const named = (list: "any" | readonly string[], name: string) => list === "any" || list.includes(name);
  const number = (text: string) => {
    const value = addressNumber(text);
    if (value === undefined) throw new Error(`No address: ${text}`);
    return value;
  };
  const spans = (list: FlowSets["source"], value: bigint) =>
    list === "any" || list.some(({ first, last }) => number(first) <= value && value <= number(last));
  return (
    named(sets.from, flow.from) &&
    named(sets.to, flow.to) &&
    spans(sets.source, flow.source) &&
    spans(sets.destination, flow.destination) &&
    named(sets.applications, applications.has(flow.application) ? flow.application : OTHER_APPLICATION) &&
    named(sets.users, flow.user) &&
    (sets.services === "any" ||
      sets.services.some((each) => each.protocol === flow.protocol && each.first <= flow.port && flow.port <= each.last)) &&
    (sets.sourcePorts === "any" || sets.sourcePorts.some(({ first, last }) => first <= flow.sourcePort && flow.sourcePort <= last))
  );
}

function isIn(row: ReachRow, flow: Flow, applications: ReadonlySet<string>): boolean {
  const meets = (conditions: readonly string[]) => conditions.length === 0 || conditions.some((each) => holds(each, flow));
  const has = ({ sets, conditions = [] }: Pick<FlowWords, "sets" | "conditions">) =>
    sets !== undefined && inSets(sets, flow, applications) && meets(conditions);
  const inFlow = (words: FlowWords) => has(words) && (words.steps === undefined || words.steps.find(has)?.changes === true);
  const isPaired = row.flows.some(({ conditions, steps }) => conditions !== undefined || steps !== undefined);
  return row.flows.some(inFlow) && (isPaired || meets(row.conditions));
}

const applicationsOf = (policies: readonly Policy[]) =>
  new Set(
    policies.flatMap(({ rules }) =>
      rules.flatMap(({ traffic }) =>
        traffic.flatMap(({ applications }) => (applications === "any" ? [] : applications.objects.flatMap(({ values }) => values))),
      ),
    ),
  );

const printed = (before: Policy, after: Policy, bounds: Bounds = {}): readonly ReachRow[] =>
  JSON.parse(JSON.stringify(insightBetween(before, after, undefined, bounds).rows));

function wrongRows(before: Policy, after: Policy, rows: readonly ReachRow[]): Flow[] {
  const applications = applicationsOf([before, after]);
  return everyFlow(soak).filter((flow) => {
    const [was, now] = [before, after].map((policy) => verdictAt(policy, decider(policy, flow)));
    const expected = was === now ? [] : [now === "allow" ? "opened" : "closed"];
    const found = rows.filter((row) => isIn(row, flow, applications)).map(({ change }) => change);
    return found.join() !== expected.join();
  });
}

it.each(seedsOf(soak ? 500 : 20))(
  "each flow is in exactly the printed row of its change, by sets and conditions of the JSON: seed %i",
  (seed) => {
    const dice = new Dice(seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(6));
    const after = edited(SMALL, dice, before, 1 + dice.roll(3));
    const rows = printed(before, after);
    expect(rows.filter(({ more, except }) => more > 0 || except !== undefined)).toEqual([]);
    expect(wrongRows(before, after, rows)).toEqual([]);
  },
);

it("rows with too many sets are as exact by the steps of their flows", () => {
  let stepped = 0;
  for (const seed of seedsOf(soak ? 500 : 60)) {
    const dice = new Dice(seed);
    const before = randomPolicy(SMALL, dice, 1 + dice.roll(8));
    const after = edited(SMALL, dice, before, 1 + dice.roll(3));
    const rows = printed(before, after, { mostParts: dice.roll(3) });
    stepped += rows.filter(({ flows }) => flows.some(({ steps }) => steps !== undefined)).length;
    expect(rows.filter(({ more, flows, except }) => more > 0 || (except !== undefined && !flows.every((flow) => flow.steps)))).toEqual([]);
    expect([seed, wrongRows(before, after, rows)]).toEqual([seed, []]);
  }
  expect(stepped).toBeGreaterThan(seedsOf(60).length / 4);
});

it("two openings with different conditions are two rows", () => {
  const when = (name: string) => [[{ unknown: unknown("schedule", name), holds: true }]];
  const rule = (name: string, port: number) =>
    ruleOf(name, "allow", {
      conditions: when(name),
      traffic: [{ applications: "any", services: of(named(`${port}`, [{ protocol: 6, first: port, last: port }])) }],
    });
  const zones = { zones: { type: "universal", from: ["in"], to: ["out"] } } as const;
  const rows = printed(
    policyOf(["in", "out"], []),
    policyOf(
      ["in", "out"],
      [
        { ...rule("day", 80), ...zones },
        { ...rule("night", 81), ...zones },
      ],
    ),
  );
  expect(rows.map((row) => [row.conditions.length, row.flows.map(({ service }) => service)])).toEqual([
    [1, ["tcp/80"]],
    [1, ["tcp/81"]],
  ]);
});

it("a row of many conditions prints each flow with its own", () => {
  const hosts = (last: number) =>
    named("hosts", [], {
      members: Array.from({ length: last }, (_, at) => named(`host-${at}`, [range(BigInt(10 * at), BigInt(10 * at))])),
    });
  const rules = (last: number) =>
    Array.from({ length: 12 }, (_, at) =>
      ruleOf(`rule-${at}`, "allow", {
        source: of(hosts(last)),
        zones: { type: "universal", from: ["in"], to: ["out"] },
        conditions: [[{ unknown: unknown("schedule", `hour-${at}`), holds: true }]],
        traffic: [{ applications: "any", services: of(named(`${at}`, [{ protocol: 6, first: at, last: at }])) }],
      }),
    );
  const versions = [policyOf(["in", "out"], rules(1)), policyOf(["in", "out"], rules(2))] as const;
  const [row, ...others] = printed(...versions);
  expect(others).toEqual([]);
  expect(row?.flows.map(({ service, conditions }) => [service, conditions])).toEqual(
    Array.from({ length: 12 }, (_, at) => [`tcp/${at}`, [`hour-${at} (schedule) holds`]]),
  );
  const lines = insightLines({ scopes: [insightBetween(...versions)] }, "plan", plain).join("\n");
  expect(lines).toContain("or 10 more conditions: plumbline reach   conditions differ by flow   ");
});

it("the seventh opened host is in the names and the sets of the JSON", () => {
  const hosts = Array.from({ length: 9 }, (_, at) => named(`host-${at}`, [range(BigInt(100 + 2 * at), BigInt(100 + 2 * at))]));
  const rows = printed(policyOf(["in", "out"], []), policyOf(["in", "out"], [ruleOf("new", "allow", { source: of(...hosts) })]));
  expect(JSON.stringify(rows)).not.toMatch(/and \d+ more/);
  expect(rows[0]?.flows[0]?.sets?.source).toHaveLength(9);
  expect(rows[0]?.flows[0]?.source).toContain("host-8");
});
