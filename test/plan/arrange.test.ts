import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../src/desired/model.js";
import { type Arrangement, arrange } from "../../src/plan/arrange.js";

function orderOf(arrangement: Arrangement): readonly string[] {
  const arranged = arrange(arrangement);
  if (!("order" in arranged)) throw new Error(JSON.stringify(arranged));
  return arranged.order;
}

describe("arrange", () => {
  it("returns the declared order if the owner has every entry", () => {
    expect(orderOf({ live: ["b", "a"], declared: ["a", "new", "b"] })).toEqual(["a", "new", "b"]);
  });

  it("places a new entry directly after its declared predecessor, not after an unmanaged deny-all", () => {
    expect(orderOf({ live: ["a", "b", "deny-all"], declared: ["a", "b", "new"] })).toEqual(["a", "b", "new", "deny-all"]);
  });

  it("places a new first entry directly before its successor", () => {
    expect(orderOf({ live: ["x", "a"], declared: ["new", "a"] })).toEqual(["x", "new", "a"]);
  });

  it("refuses to guess a place if no declared entry is live", () => {
    expect(arrange({ live: ["x"], declared: ["new"] })).toEqual({ problem: "no-place", entry: "new" });
  });

  it("reports a missing anchor, also if it is a declared entry", () => {
    const inFrontOf = (anchor: string): Position => ({ where: "before", anchor });
    expect(arrange({ live: ["x"], declared: ["a"], position: inFrontOf("gone") })).toEqual({ problem: "anchor-missing", anchor: "gone" });
    expect(arrange({ live: ["a"], declared: ["a"], position: inFrontOf("a") })).toEqual({ problem: "anchor-missing", anchor: "a" });
  });

  it.each<[Position, string[]]>([
    [{ where: "top" }, ["a", "b", "x", "y"]],
    [{ where: "bottom" }, ["x", "y", "a", "b"]],
    [{ where: "before", anchor: "y" }, ["x", "a", "b", "y"]],
    [{ where: "after", anchor: "x" }, ["x", "a", "b", "y"]],
  ])("places a new block at %o", (position, expected) => {
    expect(orderOf({ live: ["x", "y"], declared: ["a", "b"], position })).toEqual(expected);
  });

  it("moves an entry back that is on the wrong side of the anchor", () => {
    expect(orderOf({ live: ["a", "deny", "b"], declared: ["a", "b"], position: { where: "before", anchor: "deny" } })).toEqual([
      "a",
      "b",
      "deny",
    ]);
  });

  it("leaves an unmanaged entry inside the block where it is", () => {
    expect(orderOf({ live: ["a", "x", "b"], declared: ["a", "b"] })).toEqual(["a", "x", "b"]);
  });

  it("moves declared entries together if the block is contiguous", () => {
    expect(orderOf({ live: ["w", "a", "x", "b"], declared: ["a", "b"], contiguous: true })).toEqual(["w", "a", "b", "x"]);
  });

  const positions = fc.option(
    fc.oneof(
      fc.constantFrom<Position>({ where: "top" }, { where: "bottom" }),
      fc.record({ where: fc.constantFrom("before" as const, "after" as const), anchor: fc.constantFrom("x0", "x1") }),
    ),
    { nil: undefined },
  );
  const ours = ["a", "b", "c", "d", "e"];

  it("keeps unmanaged entries in order and declared entries in declared order, and is idempotent", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...ours, "x0", "x1", "x2"]),
        fc.shuffledSubarray(ours),
        positions,
        fc.boolean(),
        (liveNames, declared, position, contiguous) => {
          const live = liveNames.filter((name) => name.startsWith("x") || declared.includes(name));
          const arranged = arrange({ live, declared, position, contiguous });
          if ("problem" in arranged) return;
          const { order } = arranged;
          expect([...order].sort()).toEqual([...new Set([...live, ...declared])].sort());
          expect(order.filter((name) => name.startsWith("x"))).toEqual(live.filter((name) => name.startsWith("x")));
          expect(order.filter((name) => !name.startsWith("x"))).toEqual(declared);
          expect(orderOf({ live: order, declared, position, contiguous })).toEqual(order);
        },
      ),
    );
  });
});
