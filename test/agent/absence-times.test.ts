import { describe, expect, it } from "vitest";
import { lastRead, withAbsenceTimes } from "../../src/agent/absence-times.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../src/desired/model.js";
import type { Drift, DriftItem } from "../../src/outcome/outcome.js";
import { lastChangeOfObject } from "../../src/plan/diff/change.js";
import { formatAuthor } from "../../src/report/format-counts.js";

const path = parsePath("/openstack/networks/entry[@name='n']");
const after = new DesiredNode("entry", "n", "", [], { origin: -1, prunes: true, declared: true });
const gone = (attribution?: DriftItem["attribution"]): Drift => ({
  items: [{ change: { kind: "missing", path, after }, attribution }],
  findings: [],
  pending: [],
});
const [LAST, NOW] = [Date.UTC(2026, 0, 5, 8), Date.UTC(2026, 0, 5, 8, 5)];
const INTERVAL = "2026-01-05T08:00:00Z/2026-01-05T08:05:00Z";

describe("an object that disappeared on a platform without change times", () => {
  it("disappeared between two passes", () => {
    const [item] = withAbsenceTimes(gone(), LAST, NOW, []).items;
    expect(item?.attribution).toEqual({ admin: "unknown", time: INTERVAL });
    expect(formatAuthor(item?.attribution)).toBe("by unknown between 2026-01-05T08:00:00Z and 2026-01-05T08:05:00Z");
  });

  it("keeps that time in later passes, and its known author", () => {
    const seen = { id: 1, target: "t", firstSeen: NOW, lastSeen: NOW, view: undefined };
    const known = { ...seen, path: path.toString(), change: "missing" as const, author: "unknown", authorTime: INTERVAL };
    expect(withAbsenceTimes(gone(), NOW, NOW + 300_000, [known]).items[0]?.attribution?.time).toBe(INTERVAL);
    const told = { admin: "alice", time: "2026/01/05 08:01:00" };
    expect(withAbsenceTimes(gone(told), LAST, NOW, []).items[0]?.attribution).toEqual(told);
    expect(formatAuthor(told)).toBe("by alice at 2026/01/05 08:01:00");
  });

  it("of a changed object has the time of its last change as the latest possible time", () => {
    expect(formatAuthor(lastChangeOfObject("2026-01-05T08:01:00Z"))).toBe("by unknown no later than 2026-01-05T08:01:00Z");
  });

  it("has no time without an earlier pass", () => {
    expect(withAbsenceTimes(gone(), undefined, NOW, []).items[0]?.attribution).toBeUndefined();
  });
});

describe("the previous pass", () => {
  const pass = (id: number, outcome: string | undefined, ended: number | undefined) => ({
    ...{ id, kind: "pass" as const, at: 0, ended, seen: undefined, target: "t", pass: id },
    ...{ path: undefined, author: undefined, outcome, repository: undefined, summary: "", detail: {} },
  });

  it("is the newest one that reached the target", () => {
    const blind = [pass(8, "failed", 800), pass(7, "interrupted", 700), pass(6, undefined, undefined)];
    expect(lastRead([pass(9, "in-sync", 900), ...blind, pass(5, "skipped", 500)], 9)).toBe(500);
    expect(lastRead([pass(9, "in-sync", 900)], 9)).toBeUndefined();
  });
});
