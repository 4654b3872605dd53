import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMark, formatRun, isDead, newRun, parseMark } from "../../../src/engine/apply/lock-mark.js";
import type { Machine } from "../../../src/engine/pass/machine.js";
import { thisMachine } from "../../../src/engine/pass/machine.js";

function machine(fields: Partial<Machine> = {}): Machine {
  return { now: () => 1_790_000_000_500, monotonic: () => 0, host: "a1", pid: 7, isAlive: () => true, random: () => "beef", ...fields };
}

describe("the mark of a run", () => {
  it("has the documented form", () => {
    expect(formatMark("netops", newRun(machine()), "00ff")).toBe("plumbline/1 netops 20260921T141320Z-a1-7-beef 00ff");
  });

  it("is parsed for any owner name", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.stringMatching(/^[0-9a-f]{64}$/), (owner, digest) => {
        const run = newRun(machine());
        expect(parseMark(formatMark(owner, run, digest))).toEqual({ owner, run, digest });
      }),
    );
  });

  it("is not found in text of people", () => {
    const good = formatMark("netops", newRun(machine()), "00ff");
    for (const comment of [
      "",
      "maintenance",
      "plumbline/1",
      "plumbline/2 a b c",
      `${good} and more`,
      good.replace("Z-", "-"),
      good.replace("/1", "/1x"),
      good.replace("netops", "%zz"),
    ]) {
      expect(parseMark(comment)).toBeUndefined();
    }
  });

  it("differs between two runs of this machine", () => {
    expect(formatRun(newRun(thisMachine))).not.toBe(formatRun(newRun(thisMachine)));
  });
});

describe("the end of a run behind a mark", () => {
  const run = newRun(machine());
  it.each([
    ["its process is gone from this host", machine({ isAlive: () => false }), true],
    ["its process lives", machine(), false],
    ["it is on another host, where nobody can look", machine({ host: "b2", isAlive: () => false }), false],
    ["it is a day old by our clock, which says nothing", machine({ now: () => run.started + 86_400_000 }), false],
  ])("%s", (_, on, expected) => {
    expect(isDead(run, on)).toBe(expected);
  });
});
