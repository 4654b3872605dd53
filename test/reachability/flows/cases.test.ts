import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/reachability/flows/budget.js";
import type { Difference } from "../../../src/reachability/flows/difference.js";
import type { AddressRange, Named, Policy, Rule } from "../../../src/reachability/flows/policy.js";
import type { Row } from "../../../src/reachability/flows/rows.js";

import { between as betweenPolicies } from "./mistakes.js";
import { named, of, policyOf, range, ruleOf, tcp, unknown } from "./worlds.js";

const LARGEST_IPV4 = 2n ** 32n - 1n;
const ZONES = ["in", "out"];

function between(before: readonly Rule[] | Policy, after: readonly Rule[] | Policy, bounds: Bounds = {}): Difference {
  const [one, other] = [before, after].map((rules) => ("rules" in rules ? rules : policyOf(ZONES, rules))) as [Policy, Policy];
  return betweenPolicies(one, other, bounds);
}

/** A row in one line: verdicts, deciding rules, conditions, and its restrictions. */
function line({ before, after, conditions, extent }: Row): string {
  const names = (rules: readonly Rule[]) => rules.map(({ key }) => key.name).join(" ");
  const region = extent.kind === "boxes" ? extent.regions()[0] : extent.wholes[0]?.within;
  const where = conditions.map((all) =>
    all.map(({ subject, unknown: { name }, holds }) => `${holds ? "" : "not "}${subject} ${name}`).join(" and "),
  );
  const ranges = (list: readonly AddressRange[] | undefined) =>
    list?.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
  const parts = [
    `${before.verdict} (${names(before.rules)}) > ${after.verdict} (${names(after.rules)})`,
    ...(region?.unrestricted.has("source") ? [] : [`from ${ranges(region?.source)}`]),
    ...(region?.unrestricted.has("destination") ? [] : [`to ${ranges(region?.destination)}`]),
    ...where.map((condition) => `if ${condition}`),
  ];
  return parts.join(", ");
}

const lines = (before: readonly Rule[], after: readonly Rule[]): readonly string[] => between(before, after).rows.map(line);

const inOut = { type: "universal", from: ["in"], to: ["out"] } as const;
const net = named("net", [range(0n, 255n)]);
const halves = [named("lower", [range(0n, 127n)]), named("upper", [range(128n, 255n)])] as const;
const allow = (name: string, more: Partial<Rule> = {}): Rule => ruleOf(name, "allow", { zones: inOut, ...more });
const deny = (name: string, more: Partial<Rule> = {}): Rule => ruleOf(name, "deny", { zones: inOut, ...more });

describe("no flow changes", () => {
  it("if a network becomes a group of its halves", () => {
    const group = named("halves", [], { members: halves });
    expect(lines([allow("a", { source: of(net) })], [allow("a", { source: of(group) })])).toEqual([]);
  });

  it("if a port range becomes a list of ports", () => {
    const traffic = (...ranges: ReturnType<typeof tcp>[]) => [
      { applications: "any" as const, services: of(named(`service-${ranges.length}`, ranges)) },
    ];
    expect(lines([allow("a", { traffic: traffic(tcp(80, 81)) })], [allow("a", { traffic: traffic(tcp(80), tcp(81)) })])).toEqual([]);
  });

  it("if two disjoint rules swap places", () => {
    const rules = [allow("a", { source: of(halves[0]) }), deny("b", { source: of(halves[1]) })];
    expect(lines(rules, rules.toReversed())).toEqual([]);
  });

  it("if an object is renamed everywhere, also an unknown one", () => {
    expect(lines([allow("a", { source: of(net) })], [allow("a", { source: of({ ...net, id: "new", name: "new" }) })])).toEqual([]);
    const fqdn = { ...unknown("fqdn", "db"), definition: "db.example.org" };
    const before = named("db", [], { unknowns: [fqdn] });
    const after = named("database", [], { unknowns: [{ ...fqdn, name: "database" }] });
    expect(lines([allow("a", { source: of(before) })], [allow("a", { source: of(after) })])).toEqual([]);
  });

  it("if an intrazone allow rule is deleted, because the default allows it", () => {
    expect(lines([ruleOf("inside", "allow", { zones: { type: "universal", from: ["in"], to: ["in"] } })], [])).toEqual([]);
  });

  it("if a rule is renamed, with or without its uuid", () => {
    const key = { level: "local", group: "", name: "a", uuid: "1" };
    const rules = [deny("b", { source: of(halves[0]) }), allow("a", { key })];
    expect(lines(rules, rules.with(1, allow("c", { key: { ...key, name: "c" } })))).toEqual([]);
    expect(lines([allow("a")], [allow("c")])).toEqual([]);
  });

  it("if a shadowed rule is deleted", () => {
    expect(lines([deny("all"), allow("a")], [deny("all")])).toEqual([]);
  });
});

describe("one row", () => {
  it("shows what a new rule opens", () => {
    expect(lines([], [allow("a", { source: of(net) })])).toEqual(["deny (interzone-default) > allow (a), from 0-255"]);
  });

  it("shows all of IPv6 if any becomes all of IPv4", () => {
    const ipv4 = named("0.0.0.0/0", [range(0n, LARGEST_IPV4)]);
    expect(lines([allow("a")], [allow("a", { source: of(ipv4) })])).toEqual([
      `allow (a) > deny (interzone-default), from ${LARGEST_IPV4 + 1n}-${2n ** 128n - 1n}`,
    ]);
  });

  it("is conditional if a deny rule with an unresolved FQDN is deleted", () => {
    const fqdn = named("db", [], { unknowns: [unknown("fqdn", "db.example.org")] });
    expect(lines([deny("db", { destination: of(fqdn) }), allow("a")], [allow("a")])).toEqual([
      "deny (db) > allow (a), if destination db.example.org",
    ]);
  });

  it("is shown once if it depends on several conditions, each as short as possible", () => {
    const [web, db] = ["web", "db"].map((name) => named(name, [], { unknowns: [unknown("fqdn", `${name}.example.org`)] }));
    const both = { source: of(web as Named<AddressRange>), destination: of(db as Named<AddressRange>) };
    expect(lines([allow("a")], [allow("a", both)])).toEqual([
      "allow (a) > deny (interzone-default), if not source web.example.org, if not destination db.example.org",
    ]);
  });

  it("is conditional if a schedule is removed from an allow rule", () => {
    const schedule = [[{ unknown: unknown("schedule", "office hours"), holds: true }]];
    expect(lines([allow("a", { conditions: schedule })], [allow("a")])).toEqual([
      "deny (interzone-default) > allow (a), if not circumstance office hours",
    ]);
  });

  it("shows the new content of an FQDN object, because it is another unknown", () => {
    const db = (name: string) => named("db", [], { unknowns: [unknown("fqdn", name)] });
    expect(
      lines([allow("a", { destination: of(db("old.example.org")) })], [allow("a", { destination: of(db("new.example.org")) })]),
    ).toEqual([
      "allow (a) > deny (interzone-default), if destination old.example.org and not destination new.example.org",
      "deny (interzone-default) > allow (a), if not destination old.example.org and destination new.example.org",
    ]);
  });

  it("shows a pre-rule's deny, and nothing for a post-rule's deny below a local allow", () => {
    const [pre, post] = ["pre", "post"].map((level) => deny(level, { key: { level, group: "shared", name: level } }));
    expect(lines([allow("a")], [allow("a"), post as Rule])).toEqual([]);
    expect(lines([allow("a")], [pre as Rule, allow("a")])).toEqual(["allow (a) > deny (pre)"]);
  });

  it("splits a change of order at the flows that both rules match", () => {
    const ssl = [{ applications: of(named("ssl", ["ssl"])), services: of(named("443", [tcp(443)])) }];
    const rules = [
      deny("no-ssl", { traffic: ssl }),
      allow("web", { traffic: [{ applications: "any", services: of(named("443", [tcp(443)])) }] }),
    ];
    const { rows } = between(rules, rules.toReversed());
    expect(rows.map(line)).toEqual(["deny (no-ssl) > allow (web)"]);
    const [region] = rows[0]?.extent.kind === "boxes" ? rows[0].extent.regions() : [];
    expect([region?.applications, region?.services]).toEqual([["ssl"], [{ protocol: 6, first: 443, last: 443 }]]);
  });

  it("is replaced by a note if a deny becomes a drop", () => {
    const { rows, notes } = between([deny("a")], [deny("a", { action: "drop" })]);
    expect([rows, notes.map(({ rule, before, after }) => [rule.key.name, before, after])]).toEqual([[], [["a", "deny", "drop"]]]);
  });
});

describe("grouping by cause", () => {
  const group = (members: readonly Named<AddressRange>[]) => named("servers", [], { members });
  const hosts = [named("one", [range(1n, 1n)]), named("two", [range(2n, 2n)])] as const;
  const using = (count: number, object: Named<AddressRange>): readonly Rule[] =>
    Array.from({ length: count }, (_, at) =>
      allow(`rule-${at}`, { source: of(object), destination: of(named(`to-${at}`, [range(BigInt(at), BigInt(at))])) }),
    );

  it("shows a group of 2,000 rules that gains a host as one row", () => {
    const { rows, exact } = between(using(2000, group([hosts[0]])), using(2000, group(hosts)));
    expect(
      rows.map(({ cause, before, after }) => [
        cause.kind === "objects" ? cause.objects.map(({ id }) => id) : cause,
        before.rules.length,
        after.rules.length,
      ]),
    ).toEqual([[["servers"], 1, 2000]]);
    expect(exact).toBe(true);
  });

  it("treats a rule that also changes itself as a separate cause", () => {
    const [before, after] = [using(1, group([hosts[0]])), using(1, group(hosts)).map((rule) => ({ ...rule, destination: "any" as const }))];
    expect(between(before, after).rows.map(({ cause }) => cause.kind === "rule" && cause.change)).toEqual(["changed"]);
  });
});

describe("a wide change", () => {
  const many = Array.from({ length: 400 }, (_, at) =>
    ruleOf(`rule-${at}`, at % 3 === 0 ? "deny" : "allow", {
      source: of(named(`from-${at}`, [range(BigInt(7 * at), BigInt(7 * at + 40))])),
      destination: of(named(`to-${at}`, [range(BigInt(11 * at), BigInt(11 * at + 60))])),
    }),
  );

  it("is one row with exceptions, and each of its claims is verified", () => {
    const { rows, exact } = between(many, [ruleOf("open", "allow"), ...many], { mostParts: 100 });
    expect(rows.map(({ extent, before, after }) => [extent.kind, before.verdict, after.rules.map(({ key }) => key.name)])).toEqual([
      ["holes", "deny", ["open"]],
    ]);
    const [whole] = rows[0]?.extent.kind === "holes" ? rows[0].extent.wholes : [];
    // Within a zone everything is allowed unless a rule denies it; between zones only what rules allow.
    expect([whole?.pairs, whole?.undecided]).toEqual([{ changed: 4, all: 4 }, 0]);
    expect(whole?.holes).toBeGreaterThan(200);
    expect(exact).toBe(true);
  });

  const conditionsIn = (before: readonly Rule[], after: readonly Rule[]) =>
    between(before, after, { mostParts: 100 }).rows.map((row) => [
      line(row).replace(/^.*?, (?=if)|^[^,]*$/, ""),
      row.extent.kind === "holes" && row.extent.hasOtherConditions,
    ]);
  const inHours = { subject: "circumstance", unknown: unknown("schedule", "hours"), holds: true } as const;

  it("shows a condition that applies to all of its flows", () => {
    const open = ruleOf("open", "allow", { destination: of(named("there", [], { unknowns: [unknown("fqdn", "there")] })) });
    expect(conditionsIn(many, [open, ...many])).toEqual([["if destination there", false]]);
  });

  it("is certain for some flows, and mentions other conditions if rules above depend on some", () => {
    const open = ruleOf("open", "allow");
    const closed = ruleOf("closed", "deny", { conditions: [[inHours]] });
    const closedThere = ruleOf("closed", "deny", {
      destination: of(named("there", [], { unknowns: [unknown("fqdn", "there")] })),
      zones: inOut,
    });
    expect(conditionsIn([closedThere, ...many], [closedThere, open, ...many])).toEqual([["", false]]);
    expect(conditionsIn([closed, ...many], [closed, open, ...many])).toEqual([["if not circumstance hours", true]]);
  });

  it("that exceeds the limit is undecided, and not exact", () => {
    const { rows, undecided, exact } = between(many, [ruleOf("open", "allow"), ...many], { steps: 10 });
    expect([rows, undecided.map(({ side, rule }) => [side, rule.key.name]), exact]).toEqual([[], [["after", "open"]], false]);
  });
});

it("one rule loses an address among 40 rules of thousands of addresses (of 5,000, 200,000 in all, in a soak): one exact row", () => {
  const members = process.env.PLUMBLINE_SOAK === undefined ? 1000 : 5000;
  const hosts = Array.from({ length: 40 }, (_, rule) =>
    Array.from({ length: members }, (_member, at) => {
      const address = 2n * BigInt(members * rule + at);
      return named(`host-${address}`, [range(address, address)]);
    }),
  );
  const rules = hosts.map((own, at) => allow(`rule-${at}`, { source: of(...own) }));
  const without = rules.with(7, allow("rule-7", { source: of(...(hosts[7] ?? []).slice(1)) }));
  const { rows, exact } = between(rules, without);
  expect([rows.map(line), exact]).toEqual([[`allow (rule-7) > deny (interzone-default), from ${14 * members}`], true]);
});

describe("the result is not called exact", () => {
  it("if a limit casts doubt on it, but despite permanent limits", () => {
    const limited = (doubtful: boolean): Policy => ({ ...policyOf(ZONES, []), limits: [{ text: "Routes are dynamic.", doubtful }] });
    expect([true, false].map((doubtful) => between(limited(doubtful), limited(doubtful)).exact)).toEqual([false, true]);
    expect(between(limited(true), limited(true)).limits).toHaveLength(1);
  });

  it("if a rule names more unknowns than the analysis distinguishes", () => {
    const many = (prefix: string) =>
      of(...Array.from({ length: 40 }, (_, at) => named(`${prefix}-${at}`, [], { unknowns: [unknown("fqdn", `${prefix}-${at}`)] })));
    const { exact, coarse, rows } = between([], [allow("a", { source: many("from"), destination: many("to") })]);
    expect([exact, coarse.map(({ key }) => key.name), rows.every(({ conditions }) => conditions.length > 0), rows.length > 0]).toEqual([
      false,
      ["a"],
      true,
      true,
    ]);
  });
});

it("an unlisted zone is considered if the list may be incomplete", () => {
  const policy = (otherZones: boolean, rules: readonly Rule[]): Policy => ({ ...policyOf(["in"], rules), otherZones });
  const open = [ruleOf("open", "allow", { zones: { type: "interzone", from: "any", to: "any" } })];
  expect(between(policy(false, []), policy(false, open)).rows).toHaveLength(0);
  expect(between(policy(true, []), policy(true, open)).rows.map(line)).toEqual(["deny (interzone-default) > allow (open)"]);
});
