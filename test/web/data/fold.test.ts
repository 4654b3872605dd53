import { describe, expect, it } from "vitest";
import type { HistoryRowView } from "../../../src/agent/page/view.js";
import { foldRows } from "../../../web/data/fold.js";

function row(at: number, more: Partial<HistoryRowView> = {}): HistoryRowView {
  return {
    id: at,
    kind: "pass",
    at,
    ended: at + 1,
    target: "edge",
    path: "",
    author: "",
    outcome: "failed",
    summary: "the device does not answer",
    ...more,
  };
}

const counts = (rows: readonly HistoryRowView[]) => foldRows(rows).map(({ row: { at }, times, since }) => [at, times, since]);

describe("the history of a target", () => {
  it("folds consecutive equal events into the newest, with their number and the first time", () => {
    expect(counts([row(50), row(40), row(30), row(20, { summary: "another error" }), row(10)])).toEqual([
      [50, 3, 30],
      [20, 1, 20],
      [10, 1, 10],
    ]);
  });

  it.each<Partial<HistoryRowView>>([
    { target: "core" },
    { outcome: "in-sync" },
    { author: "ann" },
    { path: "/config/shared" },
    { commit: { id: "c0ffee", author: "", at: 0, message: "" } },
  ])("keeps events separate that differ in %o", (more) => {
    expect(counts([row(20), row(10, more)])).toHaveLength(2);
  });

  it("keeps drift separate, because each has a duration", () => {
    expect(counts([row(20, { kind: "drift" }), row(10, { kind: "drift" })])).toHaveLength(2);
  });

  it("loses no event", () => {
    const rows = Array.from({ length: 200 }, (_, index) => row(1000 - index, { summary: `${(index * 7) % 3}` }));
    expect(foldRows(rows).reduce((sum, { times }) => sum + times, 0)).toBe(200);
  });
});
