import { describe, expect, it } from "vitest";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { planGuards } from "../../src/guards/registry.js";
import { refuseLargeShares } from "../../src/guards/shares.js";
import type { Change } from "../../src/plan/diff/change.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { desired, planInput, tree } from "../plan/support/planned.js";
import { addresses, type Case, changeOf, contextOf, numbered, planOf, refusalsBy, V1, vsys } from "./support.js";

const LIST = `${V1}/address`;
const exclusive = [LIST];

const updating = (count: number, of: number): Case => ({
  live: addresses(numbered(of)),
  wanted: addresses(numbered(of), (name) => (Number(name.slice(1)) < count ? "10.0.0.2" : "10.0.0.1")),
});
const deleting = (count: number, of: number): Case => ({
  live: addresses(numbered(of)),
  wanted: addresses(numbered(of).slice(count)),
  exclusive,
});

describe("the share guards", () => {
  it("allow exactly the limit, and refuse one more", () => {
    expect(planOf(updating(3, 10)).refusals).toEqual([]);
    expect(planOf(deleting(3, 10)).refusals).toEqual([]);
    expect(planOf(updating(4, 10)).refusals.map(({ guard }) => guard)).toEqual(["updates"]);
    expect(planOf(deleting(4, 10)).refusals.map(({ guard }) => guard)).toEqual(["updates", "deletes"]);
  });

  it("apply to lists of guards.from entries or more", () => {
    expect(planOf(updating(9, 9)).refusals).toEqual([]);
    expect(planOf(updating(10, 10)).refusals).toHaveLength(1);
  });

  it("apply guards.short to shorter lists of three or more entries", () => {
    expect(planOf(deleting(2, 4)).refusals).toEqual([]);
    expect(planOf(deleting(1, 2)).refusals).toEqual([]);
    expect(planOf(deleting(5, 6)).refusals).toEqual([
      expect.objectContaining({
        guard: "deletes",
        message: "5 of 6 entries would be deleted: 83.3 %, over the limit guards.short of 50 %.",
        allow: "--allow deletes=84%",
      }),
    ]);
    expect(planOf({ ...deleting(5, 6), allow: { deletes: "84%" } }).refusals).toEqual([]);
    const guards = { updates: 0.3, deletes: 0.3, from: 10, short: 0.9, emptyList: "refuse" as const, deletesPerDay: undefined };
    expect(planOf({ ...deleting(5, 6), more: { guards } }).refusals).toEqual([]);
  });

  it("count a changed entry once, and do not count creations and moves", () => {
    expect(planOf({ live: addresses(numbered(10)), wanted: addresses([...numbered(10), "n1", "n2", "n3", "n4", "n5"]) }).refusals).toEqual(
      [],
    );
    const rules = (names: readonly string[]): string =>
      `<rules>${names.map((name) => `<entry name="${name}"><action>allow</action></entry>`).join("")}</rules>`;
    const reversed = planOf({ live: rules(numbered(10)), wanted: rules([...numbered(10)].reverse()) });
    expect([reversed.refusals, reversed.operations.length]).toEqual([[], 9]);
  });

  it("count members of lists, too", () => {
    const objects = addresses(numbered(10));
    const group = (members: readonly string[]): string =>
      `<group><entry name="g"><static>${members.map((name) => `<member>${name}</member>`).join("")}</static></entry></group>`;
    const plan = planOf({ live: objects + group(numbered(10)), wanted: objects + group(numbered(6)) });
    expect(refusalsBy(plan, "deletes").map(({ path, message }) => [path?.tag, message.split(" would")[0]])).toEqual([
      ["static", "4 of 10 members"],
    ]);
  });

  it("name key, value and the flag, which overrides exactly this much", () => {
    const [updates, deletes] = planOf(deleting(4, 10)).refusals;
    expect(updates).toMatchObject({ allow: "--allow updates=40%" });
    expect(deletes).toMatchObject({
      message: "4 of 10 entries would be deleted: 40 %, over the limit guards.deletes of 30 %.",
      allow: "--allow deletes=40%",
    });
    expect(deletes?.path?.toString()).toBe(LIST);
    expect(planOf({ ...deleting(4, 10), allow: { updates: "40%", deletes: "40%" } }).refusals).toEqual([]);
    expect(planOf({ ...deleting(5, 10), allow: { updates: "50%", deletes: "40%" } }).refusals.map(({ guard }) => guard)).toEqual([
      "deletes",
    ]);
    expect(planOf(updating(5, 13)).refusals[0]?.allow).toBe("--allow updates=39%");
    expect(planOf({ ...updating(5, 13), allow: { updates: "39%" } }).refusals).toEqual([]);
  });
});

describe("a list at the border of short and long", () => {
  const guards = { updates: 1, deletes: 1, from: 10, short: 0.5, emptyList: "refuse" as const, deletesPerDay: undefined };

  it("is measured by one limit only", () => {
    expect(planOf({ ...deleting(6, 10), more: { guards } }).refusals).toEqual([]);
    expect(planOf({ ...deleting(5, 9), more: { guards } }).refusals.map(({ guard }) => guard)).toEqual(["deletes"]);
    expect(planOf({ ...deleting(2, 3), more: { guards } }).refusals.map(({ guard }) => guard)).toEqual(["deletes"]);
  });

  it("is reported with the planned changes", () => {
    expect(planOf(updating(4, 10)).refusals[0]?.message).toMatch(/^4 of 10 entries would be changed or deleted: 40 %/);
  });
});

describe("entries of other owners in lists with marks", () => {
  const shape = buildShape({ root: { $: "container", nets: { $: "list", owner: "leaf mark" } }, types: {} });
  const entry = (name: string, owner: string): string => `<entry name="${name}"><owner>${owner}</owner></entry>`;
  const live = tree(
    `<config><nets>${["a", "b", "c"].map((name) => entry(name, "us")).join("")}${["x", "y", "z"].map((name) => entry(name, "them")).join("")}</nets></config>`,
  );
  const [nets] = live.children;
  const changes = ["a", "b"].map((name, i) =>
    changeOf("extra", `/config/nets/entry[@name='${name}']`, { before: nets?.children[i], reason: "ledger" }),
  );
  const guards = { updates: 1, deletes: 1, from: 10, short: 0.5, emptyList: "refuse" as const, deletesPerDay: undefined };
  const told = (owner: string | undefined): string[] =>
    refuseLargeShares(contextOf({ changes }, { candidate: live, shape, owner, guards })).map(({ message }) => message.split(":")[0] ?? "");

  it("do not reduce the computed share", () => {
    expect(told("us")).toEqual(["2 of 3 entries would be deleted"]);
    expect(told(undefined)).toEqual([]);
  });
});

describe("the guard for emptied lists", () => {
  const emptied: Case = { live: addresses(["a", "b"]), wanted: "<address></address>", exclusive };

  it("refuses them, names key and value, and allows the given number", () => {
    expect(planOf(emptied).refusals).toEqual([
      expect.objectContaining({
        guard: "empty-list",
        message: "The list would be emptied: all of its 2 entries would be deleted, and guards.emptyList is refuse.",
        allow: "--allow empty-list=1",
      }),
    ]);
    expect(planOf({ ...emptied, allow: { "empty-list": "1" } }).refusals).toEqual([]);
  });

  it("allows it if the document or the limits do, and inside an entry", () => {
    const target = { ...desired(vsys("<address></address>", true)), exclusive: [parsePath(LIST)], allowEmpty: [parsePath(LIST)] };
    expect(planOf({ ...emptied, more: { desired: target } }).refusals).toEqual([]);
    const other = { ...target, allowEmpty: [parsePath(`${V1}/tag`)] };
    expect(planOf({ ...emptied, more: { desired: other } }).refusals).toHaveLength(1);
    const guards = { updates: 1, deletes: 1, from: 10, short: 1, emptyList: "allow" as const, deletesPerDay: undefined };
    expect(planOf({ ...emptied, more: { guards } }).refusals).toEqual([]);
    const router = (routes: string): string => `<config><router><entry name="r"><route>${routes}</route></entry></router></config>`;
    const routes = '<entry name="a"><metric>1</metric></entry><entry name="b"><metric>2</metric></entry>';
    const inside = makePlan(
      planInput(tree(router(routes)), desired(router("")), { guards: { ...guards, emptyList: "refuse" } }),
      planGuards,
    );
    expect([inside.refusals, inside.operations.length > 0]).toEqual([[], true]);
  });

  it("covers an alternative that is deleted, but not one that another replaces", () => {
    const mode = { layer3: { $: "container choice=mode", ip: "list" }, tap: "container choice=mode" };
    const shape = buildShape({ root: { $: "container", port: { $: "list structural", ...mode } }, types: {} });
    const live = tree('<config><port><entry name="p"><layer3><ip><entry name="a"/></ip></layer3></entry></port></config>');
    const guards = { updates: 1, deletes: 1, from: 10, short: 1, emptyList: "refuse" as const, deletesPerDay: undefined };
    const port = "/config/port/entry[@name='p']";
    const gone = changeOf("extra", `${port}/layer3`, { before: live.children[0]?.children[0]?.children[0], reason: "ledger" });
    const tap = changeOf("missing", `${port}/tap`, { after: tree("<tap/>") });
    const refused = (...changes: Change[]) =>
      refuseLargeShares(contextOf({ changes }, { candidate: live, shape, guards })).map(({ guard }) => guard);
    expect(refused(gone)).toEqual(["empty-list"]);
    expect(refused(gone, tap)).toEqual([]);
  });

  it("does not cover lists of members, or lists that did not exist", () => {
    const guards = { updates: 1, deletes: 1, from: 10, short: 1, emptyList: "refuse" as const, deletesPerDay: undefined };
    const live = tree(vsys('<group><entry name="g"><static><member>a</member></static></entry></group>'));
    const members = `${V1}/group/entry[@name='g']/static`;
    const extra = changeOf("extra", members, { before: tree("<static><member>a</member></static>"), reason: "ledger" });
    const missing = changeOf("missing", "/config/vsys/entry[@name='v9']/address/entry[@name='a']");
    expect(refuseLargeShares(contextOf({ changes: [extra, missing] }, { candidate: live, guards }))).toEqual([]);
  });

  it("allows it if one entry stays or is added", () => {
    expect(planOf({ ...emptied, wanted: addresses(["a"]) }).refusals).toEqual([]);
    expect(planOf({ ...emptied, wanted: addresses(["new"]) }).refusals).toEqual([]);
  });
});
