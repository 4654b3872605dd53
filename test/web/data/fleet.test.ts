import { describe, expect, it } from "vitest";
import { type FleetRow, newRow } from "../../../src/agent/page/fleet-row.js";
import { type Command, found } from "../../../web/data/commands.js";
import { fleetLink, type Selection, select, selectionOf } from "../../../web/data/filter.js";
import { grouped, groupingsOf } from "../../../web/data/groups.js";

const row = (name: string, more: Partial<FleetRow> = {}): FleetRow => ({ ...newRow(name, { kind: "panos", mode: "enforce" }), ...more });
const ROWS = [
  row("b", { state: "in-sync", labels: "site=site-10\ngroup=core\ngroup=edge", checked: 5 }),
  row("a", { state: "refused", labels: "site=site-2", pending: 18, since: 70, checked: 9 }),
  row("c", { state: "drifted", drifts: 2, since: 50, checked: 9, kind: "openstack" }),
];
const ALL: Selection = { words: "", only: undefined, sort: "attention", isReversed: false, by: "" };
const order = (selection: Partial<Selection>) => select(ROWS, { ...ALL, ...selection }, () => false).map(({ name }) => name);

describe("the fleet", () => {
  it("is sorted by a column in either direction, with unknown values last", () => {
    expect(order({})).toEqual(["a", "c", "b"]);
    expect(order({ isReversed: true })).toEqual(["b", "c", "a"]);
    expect(order({ sort: "since" })).toEqual(["c", "a", "b"]);
    expect(order({ sort: "since", isReversed: true })).toEqual(["a", "c", "b"]);
    expect(order({ sort: "what" })).toEqual(["a", "c", "b"]);
    expect(order({ sort: "checked", isReversed: true })).toEqual(["c", "a", "b"]);
    expect(order({ words: "site=site-2" })).toEqual(["a"]);
  });

  it("has an address that restores the view", () => {
    for (const selection of [ALL, { ...ALL, words: "x y", only: "failed" as const, sort: "name" as const, isReversed: true, by: "site" }])
      expect(selectionOf(new URLSearchParams(fleetLink(selection).slice(3)))).toEqual(selection);
    expect(selectionOf(new URLSearchParams("sort=nonsense&only=x")).sort).toBe("attention");
  });

  it("is grouped by label, group or kind: numbers as numbers, a target in each of its groups, ungrouped ones last", () => {
    expect(groupingsOf(ROWS)).toEqual(["group", "site", "kind"]);
    const keys = (by: string, shut: string[] = []) => grouped(ROWS, by, new Set(shut)).map(({ key }) => key);
    expect(keys("site")).toEqual(["= site-2", "site-2 a", "= site-10", "site-10 b", "= ", " c"]);
    expect(keys("group", ["core"])).toEqual(["= core", "= edge", "edge b", "= ", " a", " c"]);
    expect(keys("kind", ["panos"])).toEqual(["= openstack", "openstack c", "= panos"]);
    expect(grouped(ROWS, "kind", new Set())[2]).toMatchObject({ head: { value: "panos", count: 2, states: { refused: 1, "in-sync": 1 } } });
    expect(keys("")).toEqual(["b", "a", "c"]);
  });
});

it("commands are found by their beginnings first, and by all words", () => {
  const commands = ["Show failed", "fra-edge-a", "lon-fra", "infra"].map(
    (words): Command => ({ words, more: "panos", run: () => undefined }),
  );
  const names = (typed: string, most = 9) => found(commands, typed, most).map(({ words }) => words);
  expect(names("fra")).toEqual(["fra-edge-a", "lon-fra", "infra"]);
  expect(names("edge fra")).toEqual(["fra-edge-a"]);
  expect(names("PANOS show")).toEqual(["Show failed"]);
  expect(names("", 2)).toEqual(["Show failed", "fra-edge-a"]);
});
