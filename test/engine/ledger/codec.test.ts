import { describe, expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { NewerFormat } from "../../../src/engine/ledger/newer-format.js";

const BARE: LedgerRecord = { owner: "netops", target: "edge", commit: undefined, paths: [], adopted: [], secrets: {} };
const WHOLE: LedgerRecord = {
  owner: "netops",
  target: "edge",
  commit: "c0ffee",
  paths: ["/config/a", "/config/b", "/config/c", "/config/d"],
  rows: {
    "/config/a": { came: "made", print: "p1", id: "i1", run: "r1", commit: "c1" },
    "/config/b": { came: "equal", run: "r1", commit: "c1" },
    "/config/c": { run: "r2" },
    "/config/d": { run: "r1", commit: "c1" },
  },
  announced: ["/config/a", "/config/b"],
  leaving: ["/config/c", "/config/d"],
  adopted: ["/config/l", "/config/m"],
  secrets: { "/config/s": { plain: "1", stored: "2" }, "/config/t": { plain: "3", stored: "" } },
  deletes: { day: "2026-01-02", count: 3 },
  stuck: { commit: "c1", operations: "o1" },
  merged: { git: "v1" },
  snapshots: { "before-1": "r1" },
  undelivered: ["/config/l"],
  access: { project: "p", roles: ["admin", "reader"] },
  refused: { commit: "c1", operations: "o1", wish: { "/config/a": "w" }, checks: "k", at: "2026-01-02T03:04:05Z", why: "too many" },
};

/** The text of a record, one of its fields being another. */
function withField(name: string, value: unknown): string {
  return JSON.stringify({ ...(JSON.parse(encodeRecord(WHOLE)) as object), [name]: value });
}

describe("a ledger as text", () => {
  it.each([WHOLE, BARE])("is read back completely", (record) => {
    expect(JSON.parse(JSON.stringify(decodeRecord(encodeRecord(record))))).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it("is the same text for any construction order, with a line per row", () => {
    const turned = {
      ...WHOLE,
      paths: [...WHOLE.paths].reverse(),
      adopted: [...WHOLE.adopted].reverse(),
      announced: [...(WHOLE.announced ?? [])].reverse(),
      leaving: [...(WHOLE.leaving ?? [])].reverse(),
      secrets: Object.fromEntries(Object.entries(WHOLE.secrets).reverse()),
    };
    expect(encodeRecord(turned)).toBe(encodeRecord(WHOLE));
    expect(Object.keys((JSON.parse(encodeRecord(turned)) as LedgerRecord).secrets)).toEqual(["/config/s", "/config/t"]);
    expect(encodeRecord(WHOLE).split("\n")).toContain('  "/config/b": {"came":"equal","by":0},');
  });

  it("names each run that wrote rows once", () => {
    expect(JSON.parse(encodeRecord(WHOLE))).toMatchObject({
      writers: [
        ["r1", "c1"],
        ["r2", ""],
      ],
    });
  });

  it("can have rows that name their run themselves", () => {
    const rows = { "/config/a": { run: "r7", commit: "c7" }, "/config/b": { by: 1, run: "r8" } };
    expect(decodeRecord(withField("rows", rows)).rows).toEqual({
      "/config/a": { run: "r7", commit: "c7" },
      "/config/b": { run: "r8" },
    });
  });

  it("of the former format has only paths", () => {
    const old = { format: 1, owner: "netops", target: "edge", paths: ["/config/a"], adopted: [], secrets: {} };
    const decoded = decodeRecord(JSON.stringify(old));
    expect([decoded.paths, "rows" in decoded]).toEqual([["/config/a"], false]);
    expect(() => decodeRecord(JSON.stringify({ ...old, paths: "/config/a" }))).toThrow("paths is not a list of texts");
  });

  it.each([3, 0, "2", undefined])("of the format %s is refused", (format) => {
    expect(() => decodeRecord(withField("format", format))).toThrow(NewerFormat);
  });

  it.each(["[]", "null", '"text"', "7"])("that is %s is invalid", (text) => {
    expect(() => decodeRecord(text)).toThrow("not an object");
  });

  it.each<[string, unknown, string]>([
    ["owner", 3, "owner is not text"],
    ["target", null, "target is not text"],
    ["commit", 1, "commit is not text"],
    ["rows", [], "rows is not an object"],
    ["rows", null, "rows is not an object"],
    ["rows", { "/a": "made" }, "a row is not an object"],
    ["rows", { "/a": { came: "lost" } }, "a row has an unknown origin"],
    ["rows", { "/a": { came: 1 } }, "came is not text"],
    ["rows", { "/a": { print: 1 } }, "print is not text"],
    ["rows", { "/a": { id: 1 } }, "id is not text"],
    ["rows", { "/a": { run: 1 } }, "run is not text"],
    ["rows", { "/a": { commit: 1 } }, "commit is not text"],
    ["rows", { "/a": { by: 2 } }, "a row names no writer"],
    ["writers", {}, "writers is not a list of runs"],
    ["writers", ["r1"], "writers is not a list of runs"],
    [
      "writers",
      [
        ["r1", "c1"],
        ["r2", 1],
      ],
      "writers is not a list of runs",
    ],
    ["announced", "/a", "announced is not a list of texts"],
    ["leaving", "/a", "leaving is not a list of texts"],
    ["undelivered", "/a", "undelivered is not a list of texts"],
    ["announced", ["/a", 1], "announced is not a list of texts"],
    ["adopted", undefined, "adopted is not a list of texts"],
    ["secrets", [], "secrets is not an object"],
    ["secrets", { "/s": "x" }, "a fingerprint in secrets is not an object"],
    ["secrets", { "/s": { plain: 1, stored: "2" } }, "plain is not text"],
    ["secrets", { "/s": { plain: "1" } }, "stored is not text"],
    ["deletes", 3, "deletes is malformed"],
    ["deletes", { day: "2026-01-02", count: "3" }, "deletes is malformed"],
    ["deletes", { count: 3 }, "day is not text"],
    ["stuck", [], "stuck is malformed"],
    ["stuck", { commit: 1, operations: "o1" }, "commit is not text"],
    ["stuck", { commit: "c1" }, "operations is not text"],
    ["watch", "", "watch is malformed"],
    ["merged", "v1", "merged is malformed"],
    ["merged", { git: 1 }, "merged is malformed"],
    ["snapshots", [], "snapshots is malformed"],
    ["snapshots", { a: null }, "snapshots is malformed"],
    ["access", [], "access is malformed"],
    ["access", { roles: [] }, "project is not text"],
    ["access", { project: "p", roles: "admin" }, "roles is not a list of texts"],
    ["refused", "c1", "refused is malformed"],
    ["refused", { commit: 1, operations: "o", why: "w" }, "commit is not text"],
    ["refused", { operations: 1, why: "w" }, "operations is not text"],
    ["refused", { operations: "o" }, "why is not text"],
    ["refused", { operations: "o", why: "w", wish: { a: 1 } }, "wish is malformed"],
    ["refused", { operations: "o", why: "w", checks: 1 }, "checks is not text"],
    ["refused", { operations: "o", why: "w", at: 1 }, "at is not text"],
  ])("whose %s is %j cannot be read, and says what is wrong", (name, value, message) => {
    expect(() => decodeRecord(withField(name, value))).toThrow(message);
  });

  it("may have no commit for its stuck or refused part", () => {
    const { stuck, refused } = decodeRecord(
      encodeRecord({ ...BARE, stuck: { commit: undefined, operations: "o" }, refused: { commit: undefined, operations: "o", why: "w" } }),
    );
    expect([stuck, refused]).toEqual([
      { commit: undefined, operations: "o" },
      { commit: undefined, operations: "o", why: "w" },
    ]);
  });
});
