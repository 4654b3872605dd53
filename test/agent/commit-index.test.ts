import { describe, expect, it } from "vitest";
import { closureOf, followersOf, referrersOf } from "../../src/agent/commit-index.js";

/** Contains names in addition to the objects that they refer to. */
function referring(targets: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(targets).map(([name, others]) => [name, { references: { targets: new Set(others), secrets: [] } }]));
}

describe("references between targets", () => {
  const targets = referring({ a: [], b: ["a"], c: ["a", "b"], d: ["c"], e: [] });

  it("are followed one step to the targets that use values", () => {
    expect(followersOf("a", targets)).toEqual(["b", "c"]);
    expect(followersOf("d", targets)).toEqual([]);
    expect(followersOf("unknown", targets)).toEqual([]);
  });

  it("are followed transitively in both directions", () => {
    expect([...referrersOf(["b"], targets)]).toEqual(["b", "c", "d"]);
    expect([...closureOf(["c"], targets)]).toEqual(["c", "a", "b"]);
  });

  it("may be circular", () => {
    const circle = referring({ a: ["b"], b: ["a"] });
    expect([...referrersOf(["a"], circle)]).toEqual(["a", "b"]);
    expect([...closureOf(["a"], circle)]).toEqual(["a", "b"]);
  });
});
