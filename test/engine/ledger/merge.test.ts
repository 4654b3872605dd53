import { describe, expect, it } from "vitest";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { mergedRecord } from "../../../src/engine/ledger/merge.js";
import { smallRecord as record } from "./small-record.js";

describe("two ledgers in one", () => {
  it("keep all paths, and rows of only one are not deleted", () => {
    const own = record({ rows: { "/b": { came: "made", print: "b" }, "/both": { came: "made", print: "ours" } } });
    const former = record({ rows: { "/a": { came: "made", print: "a" }, "/both": { came: "adopted", print: "theirs" } } });
    const { paths, rows } = mergedRecord(own, former);
    expect(paths).toEqual(["/a", "/b", "/both"]);
    expect(rows).toEqual({
      "/a": { came: "unclear", print: "a" },
      "/b": { came: "unclear", print: "b" },
      "/both": { came: "made", print: "ours" },
    });
  });

  it("do not own what the former one had only found, and use its row if the other has none", () => {
    const paths = ["/found", "/silent", "/older"];
    const former = record({ paths, rows: { "/found": { came: "equal" }, "/silent": { came: "made", print: "p" } } });
    expect(mergedRecord(record({ paths, rows: { "/found": { came: "made" } } }), former).rows).toEqual({
      "/found": { came: "unclear" },
      "/silent": { came: "made", print: "p" },
      "/older": {},
    });
  });

  it("have adopted what both have, and the secrets and snapshots of both, their own first", () => {
    const own = record({ adopted: ["/a", "/b"], secrets: { "/s": { plain: "1", stored: "1" } }, snapshots: { one: "r1" } });
    const former = record({
      adopted: ["/b", "/c"],
      secrets: { "/s": { plain: "2", stored: "2" }, "/t": { plain: "3", stored: "3" } },
      snapshots: { one: "r0", two: "r2" },
    });
    expect(mergedRecord(own, former)).toMatchObject({
      adopted: ["/b"],
      secrets: { "/s": { plain: "1", stored: "1" }, "/t": { plain: "3", stored: "3" } },
      snapshots: { one: "r1", two: "r2" },
    });
    expect(mergedRecord(own, record()).snapshots).toEqual({ one: "r1" });
    expect(mergedRecord(record(), former).snapshots).toEqual({ one: "r0", two: "r2" });
    expect("snapshots" in mergedRecord(record(), record())).toBe(false);
  });

  it("contain undelivered paths of both", () => {
    expect(mergedRecord(record({ undelivered: ["/b"] }), record({ undelivered: ["/a", "/b"] })).undelivered).toEqual(["/a", "/b"]);
    expect("undelivered" in mergedRecord(record(), record())).toBe(false);
  });

  it("use their own commit, or the former one's if there is none", () => {
    const said = (by: string): Partial<LedgerRecord> => ({
      commit: by,
      refused: { commit: by, operations: "o", why: "w" },
      deletes: { day: by, count: 1 },
    });
    expect(mergedRecord(record(said("own")), record(said("former")))).toMatchObject(said("own"));
    expect(mergedRecord(record(), record(said("former")))).toMatchObject(said("former"));
  });
});
