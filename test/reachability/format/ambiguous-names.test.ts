import { expect, it } from "vitest";
import { insightBetween } from "../../../src/reachability/changes/format-difference.js";
import type { Named } from "../../../src/reachability/flows/policy.js";
import { AmbiguousNames } from "../../../src/reachability/format/ambiguous-names.js";
import { named, of, policyOf, range, ruleOf } from "../flows/worlds.js";

const hosts = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => named(`host-${first + at}`, [range(BigInt(10 * (first + at)), BigInt(10 * (first + at)))]));
const offices = (first: number): Named<{ first: bigint; last: bigint }> => named("offices", [], { members: hosts(first, 9) });
const policy = (first: number) => policyOf(["in", "out"], [ruleOf("from-offices", "allow", { source: of(offices(first)) })]);
const insightOf = (before: number, after: number) => insightBetween(policy(before), policy(after));
const sources = (before: number, after: number, change: "opened" | "closed") => [
  ...new Set(
    insightOf(before, after)
      .rows.filter((row) => row.change === change)
      .flatMap(({ flows }) => flows.map(({ source }) => source)),
  ),
];

it("does not call two different sets by the name of one changed group", () => {
  expect(sources(1, 21, "opened")).toEqual([expect.stringMatching(/^host-21 .*, host-29 \(0\.0\.1\.34\)$/)]);
  expect(sources(1, 21, "closed")).toEqual([expect.stringMatching(/^host-1 .*, host-9 \(0\.0\.0\.90\)$/)]);
});

it("shows only the members that differ", () => {
  expect(sources(1, 2, "opened")).toEqual(["host-10 (0.0.0.100)"]);
  expect(sources(1, 2, "closed")).toEqual(["host-1 (0.0.0.10)"]);
});

it("finds a name whose group becomes unknown, and a name that two places define differently", () => {
  const rule = (object: Named<{ first: bigint; last: bigint }>) => ruleOf("r", "allow", { source: of(object) });
  const unread = named("offices", [], { unknowns: [{ kind: "fqdn", definition: "x", name: "x", reason: "not read" }] });
  expect(new AmbiguousNames([rule(offices(1)), rule(unread)]).has("offices")).toBe(true);
  expect(new AmbiguousNames([rule(offices(1)), rule({ ...offices(2), id: "shared/offices" })]).has("offices")).toBe(true);
  expect(new AmbiguousNames([rule(offices(1)), rule(named("all", [], { members: [offices(1)] }))]).has("offices")).toBe(false);
});
