import { describe, expect, it } from "vitest";
import { addresses, type Case, numbered, planOf, refusalsBy, V1 } from "./support.js";

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
  it("let through what is exactly at the limit, and refuse one more", () => {
    expect(planOf(updating(3, 10)).refusals).toEqual([]);
    expect(planOf(deleting(3, 10)).refusals).toEqual([]);
    expect(planOf(updating(4, 10)).refusals.map(({ guard }) => guard)).toEqual(["updates"]);
    expect(planOf(deleting(4, 10)).refusals.map(({ guard }) => guard)).toEqual(["updates", "deletes"]);
  });

  it("measure lists of guards.from entries or more", () => {
    expect(planOf(updating(9, 9)).refusals).toEqual([]);
    expect(planOf(updating(10, 10)).refusals).toHaveLength(1);
  });

  it("measure shorter lists of three and more entries by guards.short", () => {
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

  it("count an entry that is changed once, and creates and moves not at all", () => {
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

  it("name key, value and the flag, which lets it pass and no more than it", () => {
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

describe("the guard of emptied lists", () => {
  const emptied: Case = { live: addresses(["a", "b"]), wanted: "<address></address>", exclusive };

  it("refuses them, names key and value, and lets as many pass as are allowed", () => {
    expect(planOf(emptied).refusals).toEqual([
      expect.objectContaining({
        guard: "empty-list",
        message: "The list would be emptied: all of its 2 entries would be deleted, and guards.emptyList is refuse.",
        allow: "--allow empty-list=1",
      }),
    ]);
    expect(planOf({ ...emptied, allow: { "empty-list": "1" } }).refusals).toEqual([]);
  });

  it("is content when one stays, or one comes", () => {
    expect(planOf({ ...emptied, wanted: addresses(["a"]) }).refusals).toEqual([]);
    expect(planOf({ ...emptied, wanted: addresses(["new"]) }).refusals).toEqual([]);
  });
});
