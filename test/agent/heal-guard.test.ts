import { describe, expect, it } from "vitest";
import type { KnownDrift } from "../../src/agent/events.js";
import { HealGuard } from "../../src/agent/heal-guard.js";

const drift = (key: string) => ({ key }) as KnownDrift;
const HOUR = 3_600_000;

describe("the self-heal guard", () => {
  it("stops at the limit, reports it once, and stays until the drift ends", () => {
    const guard = new HealGuard(() => 3);
    const judge = (heals: number) => guard.judge("edge", [drift("a"), drift("b")], new Map([["a", heals]]));
    expect(judge(2)).toEqual([]);
    expect(judge(3)).toMatchObject([{ drift: { key: "a" }, heals: 3, isNew: true }]);
    expect(judge(0)).toMatchObject([{ drift: { key: "a" }, isNew: false }]);
    expect(guard.judge("edge", [drift("b")], new Map())).toEqual([]);
    expect(judge(0)).toEqual([]);
  });

  it("counts the last hour, or since git changed", () => {
    const guard = new HealGuard(() => 1);
    expect(guard.since("edge", 5 * HOUR)).toBe(4 * HOUR);
    guard.judge("edge", [drift("a")], new Map([["a", 1]]));
    guard.forget("edge", 5 * HOUR - 10);
    expect(guard.since("edge", 5 * HOUR)).toBe(5 * HOUR - 10);
    expect(guard.since("core", 5 * HOUR)).toBe(4 * HOUR);
    expect(guard.judge("edge", [drift("a")], new Map())).toEqual([]);
  });
});
