import { describe, expect, it } from "vitest";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { rebasedRecord } from "../../../src/engine/ledger/rebase.js";

const record = (more: Partial<LedgerRecord>): LedgerRecord => ({
  owner: "netops",
  target: "edge",
  commit: "c1",
  paths: [],
  adopted: [],
  secrets: {},
  ...more,
});

const pair = (text: string) => ({ plain: text, stored: text });

describe("a record on top of parallel changes", () => {
  it("keeps rows of both, and rows that the other dropped; rows read back as absent stay deleted", () => {
    const base = record({ paths: ["/going", "/made", "/kept"], announced: ["/made"] });
    const ours = record({ paths: ["/made", "/kept"], rows: { "/made": { came: "made", print: "1" } }, commit: "c2" });
    const theirs = record({
      paths: ["/going", "/theirs"],
      rows: { "/theirs": { came: "equal" } },
      announced: ["/theirs"],
      leaving: ["/theirs"],
      commit: "c3",
    });
    expect(rebasedRecord(base, ours, theirs)).toMatchObject({
      commit: "c2",
      paths: ["/kept", "/made", "/theirs"],
      rows: { "/made": { came: "made", print: "1" }, "/theirs": { came: "equal" } },
      announced: ["/theirs"],
      leaving: ["/theirs"],
    });
  });

  it("has undelivered paths of either, and drops paths that both know to be gone", () => {
    const base = record({ undelivered: ["/before", "/gone"] });
    const left = (ours: readonly string[] | undefined, theirs: readonly string[]) =>
      rebasedRecord(base, record({ undelivered: ours }), record({ undelivered: theirs })).undelivered;
    expect(left(["/before", "/ours"], ["/before", "/theirs"])).toEqual(["/before", "/ours", "/theirs"]);
    expect(left(undefined, ["/before", "/gone"])).toBeUndefined();
  });

  it("takes unchanged facts of a row from the others, and adoption in any case", () => {
    const base = record({ paths: ["/a", "/b"], rows: { "/a": { came: "made", print: "1" }, "/b": { came: "equal" } } });
    const ours = record({ paths: ["/a", "/b"], rows: { "/a": { came: "made", print: "1" }, "/b": { came: "equal", print: "2" } } });
    const theirs = record({ paths: ["/a", "/b"], rows: { "/a": { came: "made", print: "3" }, "/b": { came: "adopted" } } });
    expect(rebasedRecord(base, ours, theirs).rows).toEqual({ "/a": { came: "made", print: "3" }, "/b": { came: "adopted", print: "2" } });
  });

  it("adds deletions of both on one day, and none of the day before", () => {
    const on = (day: string, count: number) => record({ deletes: { day, count } });
    expect(rebasedRecord(on("2026-01-02", 2), on("2026-01-02", 5), on("2026-01-02", 3)).deletes).toEqual({ day: "2026-01-02", count: 6 });
    expect(rebasedRecord(on("2026-01-01", 9), on("2026-01-02", 1), on("2026-01-02", 3)).deletes).toEqual({ day: "2026-01-02", count: 4 });
    expect(rebasedRecord(on("2026-01-01", 9), on("2026-01-02", 1), on("2026-01-01", 9)).deletes).toEqual({ day: "2026-01-02", count: 1 });
    expect(rebasedRecord(undefined, record({}), on("2026-01-01", 9)).deletes).toEqual({ day: "2026-01-01", count: 9 });
  });

  it("has fingerprints and snapshots of both, without removed ones", () => {
    const snapshots = { first: "run-1", second: "run-2" };
    const base = record({ secrets: { "/old": pair("1"), "/both": pair("1"), "/left": pair("1") }, snapshots });
    const ours = record({ secrets: { "/both": pair("2"), "/left": pair("1") } });
    const theirs = record({
      secrets: { "/old": pair("1"), "/left": pair("4"), "/new": pair("3") },
      snapshots: { ...snapshots, third: "run-3" },
    });
    const { secrets, snapshots: left } = rebasedRecord(base, ours, theirs);
    expect(secrets).toEqual({ "/both": pair("2"), "/left": pair("4"), "/new": pair("3") });
    expect(left).toEqual({ third: "run-3" });
  });

  it("has own notes if changed here, and the other's otherwise", () => {
    const [mine, another] = [
      { commit: "c1", operations: "1" },
      { commit: "c1", operations: "2" },
    ];
    expect(rebasedRecord(record({ stuck: mine }), record({}), record({ stuck: mine })).stuck).toBeUndefined();
    expect(rebasedRecord(record({}), record({}), record({ stuck: another })).stuck).toEqual(another);
    expect(rebasedRecord(record({}), record({ stuck: mine }), record({ stuck: another })).stuck).toEqual(mine);
  });
});
