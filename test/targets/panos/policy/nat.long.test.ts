import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { natRuleOf } from "../../../../src/lab/panos/traffic/translate.js";
import type { FlowPath } from "../../../../src/outcome/reach.js";
import { pathIn } from "../../../../src/reachability/questions/format-reach.js";
import { rulebasesOf } from "../../../../src/targets/panos/policy/policies.js";
import type { ReadingOptions } from "../../../../src/targets/panos/policy/reading.js";
import { seedOf, soak } from "../../../seed.js";
import type { Facts } from "./brute.js";
import { type Arrival, BruteNat, MISTAKES, type Sent } from "./brute-nat.js";
import { randomOf } from "./random.js";
import { HOSTS, randomNat } from "./random-nat.js";

const WORLDS = soak ? 400 : 2;

/** Every flow of these worlds. */
const FLOWS: readonly Sent[] = HOSTS.flatMap((source) =>
  HOSTS.filter((destination) => destination.includes(":") === source.includes(":")).flatMap((destination) =>
    [22, 443].map((port) => ({ source, destination, protocol: 6, port })),
  ),
);
const NOBODY_KNOWS: Facts = { addresses: {}, atHome: {}, holding: new Set() };

type Ways = FlowPath["ways"];

/** The result of `reach --as-sent` for flows. */
function followed(xml: string, options: ReadingOptions = {}): (sent: Sent) => Ways {
  const [rulebase] = rulebasesOf([parseXml(xml)], options);
  const [policy] = rulebase?.policies() ?? [];
  if (rulebase === undefined || policy === undefined) throw new Error("a virtual system has a policy");
  return ({ source, destination, port }) => {
    const question = { from: [], to: [], source: [source], destination: [destination], service: [`tcp/${port}`], application: [] };
    return pathIn(policy, rulebase, question)?.ways ?? [];
  };
}

const ENDS: readonly (readonly [RegExp, Arrival["ends"]])[] = [
  [/^the zone of .* is not known/, "no door"],
  [/^no route of/, "no route"],
  [/drops it$/, "dropped"],
  [/is the firewall itself/, "itself"],
  [/^the location of .* is not known$/, "nobody knows where"],
  [/^which NAT rule it meets is not known/, "nobody knows which"],
];

/** The possible ways, if the interpreter knows the content of all names. */
function possible(ways: Ways, brute: BruteNat, sent: Sent): Arrival[] {
  const isSo = (condition: string) => {
    const [, rule, says] = /^NAT rule "(.+?)" (matches|does not match): /.exec(condition) ?? [];
    if (rule !== undefined) return brute.isFor(rule, sent) === (says === "matches");
    if (/is taken of \d+ addresses$|^it is sent by this of \d+ routes$|^it comes in by ethernet/.test(condition)) return true;
    throw new Error(`nobody expects the condition "${condition}"`);
  };
  return ways
    .filter(({ conditions }) => conditions.every(isSo))
    .map(({ from, to, translation, reaches, ends, answers }): Arrival => {
      const end = ends === undefined ? undefined : ENDS.find(([words]) => words.test(ends))?.[1];
      if (ends !== undefined && end === undefined) throw new Error(`nobody expects the end "${ends}"`);
      return {
        from: from?.zone ?? "",
        ...(to === undefined ? {} : { to: to.zone }),
        ...(translation === undefined ? {} : { nat: translation.rule }),
        ...(translation?.source === undefined ? {} : { source: translation.source }),
        ...(reaches === undefined ? {} : { destination: reaches }),
        ...(end === undefined ? { rule: answers.map(({ rule }) => rule).join(" or ") } : { ends: end }),
      };
    });
}

/** In one order, each once. */
function told(arrivals: readonly Arrival[]): readonly string[] {
  const ordered = arrivals.map(({ from, to, nat, source, destination, rule, ends }) =>
    JSON.stringify({ from, to, nat, source, destination, rule, ends }),
  );
  return [...new Set(ordered)].sort();
}

function factsOf(random: () => number): Facts {
  const some = () => HOSTS.filter(() => random() < 0.4);
  return { ...NOBODY_KNOWS, addresses: { "partner.example.org": some(), nobody: some() } };
}

describe("a flow as sent, compared with an independent interpreter", () => {
  it.each([0, 1, 2, 3, 12])("every flow of small worlds of %i NAT rules", (rules) => {
    const random = randomOf(seedOf(rules));
    for (let world = 0; world < WORLDS; world++) {
      const xml = randomNat(random, rules, false);
      const [ways, brute] = [followed(xml), new BruteNat(xml, NOBODY_KNOWS)];
      for (const sent of FLOWS)
        expect(told(possible(ways(sent), brute, sent)), JSON.stringify(sent) + xml).toEqual(told(brute.arrivals(sent)));
    }
  });

  it.each([
    [{ wayBackFrom: "its zones" }, "the way back is for its own zones alone"],
    [{ wayBackPlace: "behind all rules" }, "the way back stands behind all rules"],
  ] as const)("every flow, where the target says %o", (options, reading) => {
    const random = randomOf(seedOf(6));
    for (let world = 0; world < 4 * WORLDS; world++) {
      const xml = randomNat(random, 3, false);
      const [ways, brute] = [followed(xml, options), new BruteNat(xml, NOBODY_KNOWS, reading)];
      for (const sent of FLOWS)
        expect(told(possible(ways(sent), brute, sent)), JSON.stringify(sent) + xml).toEqual(told(brute.arrivals(sent)));
    }
  });

  it("depends on the return path exactly where expected", () => {
    const random = randomOf(seedOf(7));
    const counts = { hangs: 0, not: 0 };
    for (let world = 0; world < 8 * WORLDS; world++) {
      const xml = randomNat(random, 3, false);
      const [rulebase] = rulebasesOf([parseXml(xml)]);
      const [policy] = rulebase?.policies() ?? [];
      if (rulebase === undefined || policy === undefined) throw new Error("a virtual system has a policy");
      const read = [
        undefined,
        "the way back is for its own zones alone",
        "the way back stands behind all rules",
        "static translations work one way",
      ] as const;
      const brutes = read.map((each) => new BruteNat(xml, NOBODY_KNOWS, each));
      for (const sent of FLOWS) {
        const question = { from: [], to: [], source: [sent.source], destination: [sent.destination], service: [`tcp/${sent.port}`] };
        const doubts = pathIn(policy, rulebase, { ...question, application: [] })?.doubts.filter((text) => text.includes("[?]")) ?? [];
        const [as, ...otherwise] = brutes.map((brute) => told(brute.arrivals(sent)).join());
        if (otherwise.some((each) => each !== as)) expect(doubts, JSON.stringify(sent) + xml).toHaveLength(1);
        counts[doubts.length > 0 ? "hangs" : "not"]++;
      }
    }
    expect(counts.hangs).toBeGreaterThan(20);
    expect(counts.not).toBeGreaterThan(10 * counts.hangs);
  });

  it("names the matching rule behind too many possible ones", () => {
    const rule = (n: number, source: string) =>
      `<entry name="n${n}"><source><member>${source}</member></source><destination-translation><translated-address>10.1.0.2</translated-address></destination-translation></entry>`;
    const of = (...sources: readonly string[]) => {
      const rules = sources.map((source, n) => rule(n, source)).join("");
      return followed(randomNat(randomOf(0), 0, true).replace("<nat><rules>", `<nat><rules>${rules}`));
    };
    const [sent, six] = [{ source: "198.51.100.7", destination: "203.0.113.2", protocol: 6, port: 443 }, Array<string>(6).fill("partner")];
    const last = (ways: Ways) => [ways.length, ways.at(-1)?.translation?.rule, ways.at(-1)?.ends];
    expect(last(of(...six)(sent))).toEqual([7, undefined, undefined]);
    expect(last(of(...six, "any")(sent))).toEqual([7, "n6", undefined]);
    expect(last(of(...six, "nobody")(sent))).toEqual([7, undefined, "which NAT rule it meets is not known: more than 6 may match"]);
  });

  it.each([1, 2, 3, 12])("every flow, with any content of unread names: %i NAT rules", (rules) => {
    const random = randomOf(seedOf(rules));
    for (let world = 0; world < WORLDS; world++) {
      const xml = randomNat(random, rules, true);
      const ways = followed(xml);
      const brutes = [1, 2, 3].map(() => new BruteNat(xml, factsOf(random)));
      for (const sent of FLOWS) {
        const said = ways(sent);
        for (const brute of brutes.filter((each) => !possible(said, each, sent).some(({ ends }) => ends === "nobody knows which")))
          expect(told(possible(said, brute, sent)), JSON.stringify(sent) + xml).toEqual(told(brute.arrivals(sent)));
      }
    }
  });

  it("matches the rule that a lab firewall names (test nat-policy-match)", () => {
    const random = randomOf(seedOf(5));
    const met = new Set<string | undefined>();
    const zones: Readonly<Record<string, string>> = { untrust: "ethernet1/1", trust: "ethernet1/2", dmz: "ethernet1/3" };
    for (let world = 0; world < 2 * WORLDS; world++) {
      const xml = randomNat(random, 3, false);
      const [tree, brute] = [parseXml(xml), new BruteNat(xml, NOBODY_KNOWS)];
      const plain = new BruteNat(xml.replace(/<nat>.*<\/nat>/, ""), NOBODY_KNOWS);
      for (const sent of FLOWS.filter(({ source }) => !source.includes(":"))) {
        const [first, ...alike] = plain.arrivals(sent);
        if (first?.to === undefined || alike.length > 0) continue;
        const { from, to } = first;
        const rules = brute.arrivals(sent).map(({ nat }) => nat?.replace(" (the way back)", ""));
        const toInterface = zones[to] ?? "";
        expect(new Set(rules), JSON.stringify(sent) + xml).toEqual(
          new Set([natRuleOf(tree, { ...sent, protocol: "tcp", from, to, toInterface })]),
        );
        met.add(rules[0]);
      }
    }
    expect([...met].sort()).toEqual(["n0", "n1", "n2", undefined]);
  });
});

describe("flows of that interpreter", () => {
  const random = randomOf(77);
  const linesAt = (brute: BruteNat) => (sent: Sent) => told(brute.arrivals(sent)).join();
  const worlds = Array.from({ length: 24 }, () => {
    const xml = randomNat(random, 3, false);
    const ways = followed(xml);
    const right = new BruteNat(xml, NOBODY_KNOWS);
    return { xml, said: FLOWS.map((sent) => ({ sent, line: told(possible(ways(sent), right, sent)).join() })) };
  });

  it("find no difference in a correct reading", () => {
    for (const { xml, said } of worlds) {
      const line = linesAt(new BruteNat(xml, NOBODY_KNOWS));
      expect(said).toEqual(said.map(({ sent }) => ({ sent, line: line(sent) })));
    }
  });

  it.each(MISTAKES)("detect a misreading that %s", (mistake) => {
    const isFound = worlds.some(({ xml, said }) => {
      const wrong = linesAt(new BruteNat(xml, NOBODY_KNOWS, mistake));
      return said.some(({ sent, line }) => wrong(sent) !== line);
    });
    expect(isFound).toBe(true);
  });
});
