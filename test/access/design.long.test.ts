import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { seedOf } from "../seed.js";
import { Brute, type Facts } from "../targets/panos/policy/brute.js";
import { randomOf } from "../targets/panos/policy/random.js";
import { ask, edited, isWanted } from "./ask.js";
import { RULES, singleMembers, singleRules, withoutRule } from "./exhaustive.js";
import { logsIn, outcomes } from "./outcomes.js";
import { EVERY_FLOW, elementOf, isFqdn, randomFacts, randomRequest, randomWorld, widestFacts } from "./worlds.js";

/** Worlds of each kind: `PLUMBLINE_ACCESS_WORLDS` sets more. */
const TIMEOUT = 1_200_000;
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 60);

/** Names of the enabled rules that decide no flow, or without which every flow is handled alike. */
function idleRules(tree: TreeNode, facts: Facts): ReadonlySet<string> {
  const all = outcomes(tree, facts);
  const deciding = new Set(all.map(({ rule }) => rule));
  const enabled = (find(tree, RULES)?.children ?? []).filter(
    (rule) => !rule.children.some(({ tag, text }) => tag === "disabled" && text === "yes"),
  );
  const names = enabled.map(({ name = "" }) => name);
  const isRedundant = (name: string) => {
    const without = outcomes(withoutRule(tree, name), facts);
    return all.every(({ allowed, log }, at) => without[at]?.allowed === allowed && without[at]?.log === log);
  };
  return new Set(names.filter((name) => !deciding.has(name) || isRedundant(name)));
}

/** The outcomes of a tree, and the names of the rules that have no effect in it. */
interface Before {
  readonly was: ReturnType<typeof outcomes>;
  readonly idle: ReadonlySet<string>;
}

/** Whether a tree allows all flows of a request, handles all others as before, and leaves each rule its effect. */
function isExactly({ was, idle }: Before, after: TreeNode, asked: readonly boolean[], facts: Facts): boolean {
  const brute = new Brute(elementOf(after), "vsys1", facts);
  const logs = logsIn(after);
  const isExact = EVERY_FLOW.every((flow, at) => {
    const { rule, allowed } = brute.decide(flow);
    return asked[at] ? allowed : allowed === was[at]?.allowed && (!allowed || (logs.get(rule) ?? "") === was[at]?.log);
  });
  return isExact && [...idleRules(after, facts)].every((name) => idle.has(name));
}

describe("random requests in random worlds", () => {
  it.each([
    { rules: 3, unknown: 0, nat: 0 },
    { rules: 6, unknown: 0, nat: 0.3 },
    { rules: 6, unknown: 0.15, nat: 0.3 },
  ])(
    "open exactly the requested flows, or say truly why not: $rules rules, unknown $unknown",
    ({ rules, ...shape }) => {
      const random = randomOf(seedOf(rules + shape.unknown * 100));
      const counts = new Map<string, number>();
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const wrong: unknown[] = [];
      for (let world = 0; world < WORLDS; world++) {
        const xml = randomWorld(random, rules, shape);
        const tree = parseXml(xml);
        const wanted = randomRequest(random, tree, 0.25, 0.25);
        const hasFqdn = isFqdn(wanted.source) || isFqdn(wanted.destination);
        const drawn = Array.from({ length: shape.unknown === 0 && !hasFqdn && wanted.user === undefined ? 1 : 4 }, () =>
          randomFacts(random),
        );
        // Rules for other addresses may allow all flows to the addresses of an FQDN, unless it has every address.
        const widest = drawn.slice(0, 1).map((facts) => widestFacts(facts, wanted));
        const worlds = hasFqdn ? [...widest, ...drawn] : drawn;
        const found = ask(tree, wanted);
        const [design] = found.designs;
        const isExact = design !== undefined && design.proof.excess.length === 0;
        if (hasFqdn && isExact) count(`FQDN ${design.kind}`);
        if (wanted.user !== undefined && isExact) count("user");
        count(
          found.state === "denied"
            ? isExact
              ? `designed ${design.kind}`
              : design === undefined
                ? "denied without design"
                : "only with excess"
            : found.state,
        );
        const failed = (why: string, more: unknown) =>
          wrong.push({ world, why, wanted, summary: design?.summary, reasons: found.reasons, more, xml });
        const states = new Set<boolean>();
        for (const facts of worlds) {
          const before = outcomes(tree, facts);
          const brute = new Brute(xml, "vsys1", facts);
          const asked = EVERY_FLOW.map((flow) => isWanted(brute, wanted, flow));
          const isOpen = before.every(({ allowed }, at) => allowed || !asked[at]);
          states.add(isOpen);
          if (found.state === "allowed" && !isOpen) failed("said to be allowed", undefined);
          const isDecisive = !hasFqdn || widest.includes(facts);
          if (found.state === "denied" && isDecisive && isOpen && asked.includes(true)) failed("said to be denied", undefined);
          if (!isExact) continue;
          const after = outcomes(edited(tree, design), facts);
          const still = new Set(design.proof.stillDenied.map(({ key }) => key.name));
          for (const [at, flow] of EVERY_FLOW.entries()) {
            const [was, is] = [before[at], after[at]];
            if (was === undefined || is === undefined) continue;
            if (!asked[at] && (was.allowed !== is.allowed || was.log !== is.log)) failed("another flow changed", { flow, was, is });
            if (asked[at] && !is.allowed && !still.has(is.rule)) failed("still denied", { flow, is });
            if (wrong.length > 3) break;
          }
        }
        if (wrong.length > 0) break;
      }
      expect(wrong).toEqual([]);
      expect(counts.get("FQDN rule") ?? 0).toBeGreaterThan(0);
      expect(counts.get("user") ?? 0).toBeGreaterThan(0);
      expect(counts.get("designed member") ?? 0).toBeGreaterThan(0);
      expect(counts.get("designed rule") ?? 0).toBeGreaterThan(WORLDS / 10);
    },
    TIMEOUT,
  );
});

describe("the smallest edit", () => {
  it(
    "is found whenever one member or one rule suffices",
    () => {
      const random = randomOf(seedOf(77));
      const counts = new Map<string, number>();
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const missed: unknown[] = [];
      for (let world = 0; world < WORLDS; world++) {
        const xml = randomWorld(random, 4, { unknown: 0, nat: 0 });
        const tree = parseXml(xml);
        const wanted = randomRequest(random, tree);
        const facts = randomFacts(random);
        const found = ask(tree, wanted);
        const [design] = found.designs.filter(({ proof }) => proof.excess.length === 0);
        if (found.state !== "denied") continue;
        const size = design === undefined ? "none" : design.kind;
        count(size);
        if (size === "member" && design?.edits.filter(({ kind }) => kind !== "text").length === 1) continue;
        const brute = new Brute(xml, "vsys1", facts);
        const asked = EVERY_FLOW.map((flow) => isWanted(brute, wanted, flow));
        const service = SERVICES.get(wanted.service);
        const others = [
          ...singleMembers(tree, wanted),
          ...(size === "none" && service !== undefined ? singleRules(tree, wanted, service) : []),
        ];
        const before = { was: outcomes(tree, facts), idle: idleRules(tree, facts) };
        const better = others.find((other) => isExactly(before, other.tree, asked, facts));
        if (better !== undefined)
          missed.push({
            world,
            wanted,
            better: better.what,
            found: design?.summary,
            reasons: found.reasons,
            xml: xml.slice(xml.indexOf("<security>")),
          });
      }
      expect(missed).toEqual([]);
    },
    TIMEOUT,
  );
});

/** Service objects of the worlds by the services of requests. */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ["tcp/443", "tcp-443"],
  ["tcp/80,8080", "web"],
  ["web", "web"],
  ["services", "services"],
  ["icmp", "application-default"],
  ["47", "application-default"],
]);
