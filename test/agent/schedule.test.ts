import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PRIORITY } from "../../src/agent/priority.js";
import { Schedule } from "../../src/agent/schedule.js";

const free = () => false;

describe("the schedule", () => {
  it("returns the most overdue first, each once, and no more than requested", () => {
    const schedule = new Schedule();
    for (const [target, at] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
      ["later", 99],
    ] as const)
      schedule.plan(target, at, "timer");
    expect(schedule.take(50, 2, free).map(({ target }) => target)).toEqual(["a", "b"]);
    expect(schedule.take(50, 9, free).map(({ target }) => target)).toEqual(["c"]);
    expect(schedule.take(50, 9, free)).toEqual([]);
    expect(schedule.next(free)).toBe(99);
  });

  it("keeps the earlier of two times, unless the caller replaces it", () => {
    const schedule = new Schedule();
    schedule.plan("a", 10, "git");
    schedule.plan("a", 50, "timer");
    expect(schedule.next(free)).toBe(10);
    schedule.plan("a", 50, "timer", { replace: true });
    expect(schedule.next(free)).toBe(50);
    schedule.drop("a");
    expect(schedule.next(free)).toBeUndefined();
  });

  it("postpones busy targets and does not wake up for them", () => {
    const schedule = new Schedule();
    schedule.plan("a", 10, "git");
    schedule.plan("b", 40, "git");
    expect(schedule.take(20, 9, (target) => target === "a")).toEqual([]);
    expect(schedule.next((target) => target === "a")).toBe(40);
    expect(schedule.take(20, 9, free)).toMatchObject([{ target: "a", trigger: "git" }]);
  });

  it("takes a user's request, a commit, a takeover and a retry before older timer visits", () => {
    const schedule = new Schedule();
    for (const [at, target] of ["t1", "t2", "t3"].entries()) schedule.plan(target, at, "timer");
    schedule.plan("retry", 20, "timer", { priority: PRIORITY.retry });
    schedule.plan("takeover", 20, "start");
    schedule.plan("commit", 20, "git");
    schedule.plan("person", 20, "command");
    schedule.plan("later", 60, "command");
    const taken = [1, 1, 9].flatMap((most) => schedule.take(50, most, free).map(({ target }) => target));
    expect(taken).toEqual(["person", "commit", "takeover", "retry", "t1", "t2", "t3"]);
    expect(schedule.next(free)).toBe(60);
  });

  it("takes a commit that arrives after some timer visits were due but not taken", () => {
    const schedule = new Schedule();
    for (const target of ["t1", "t2", "t3"]) schedule.plan(target, 10, "timer");
    expect(schedule.take(20, 1, free).map(({ target }) => target)).toEqual(["t1"]);
    schedule.plan("t3", 20, "git", { replace: true });
    expect(schedule.take(20, 9, free).map(({ target, trigger }) => [target, trigger])).toEqual([
      ["t3", "git"],
      ["t2", "timer"],
    ]);
  });

  it("takes a commit for any of 1,000 targets before every timer visit that was not taken", () => {
    const all = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 901, max: 999 }), (running, pushed) => {
        const schedule = new Schedule();
        for (const [at, target] of all.entries()) schedule.plan(target, at, "timer");
        const taken = schedule.take(2_000, running, free);
        schedule.plan(all[pushed] ?? "", 2_000, "git", { replace: true });
        expect(taken).toHaveLength(running);
        expect(schedule.take(2_000, 1, free)).toMatchObject([{ target: all[pushed], priority: PRIORITY.commit }]);
      }),
    );
  });

  it("keeps the higher priority of a due visit that is planned again", () => {
    const schedule = new Schedule();
    schedule.plan("a", 10, "command");
    schedule.plan("b", 10, "git");
    schedule.plan("a", 20, "git", { replace: true });
    expect(schedule.take(20, 1, free)).toMatchObject([{ target: "a", trigger: "git", priority: PRIORITY.person }]);
  });

  it("behaves like a plain list", () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("plan" as const),
        target: fc.integer({ min: 0, max: 9 }),
        at: fc.integer({ min: 0, max: 99 }),
        replace: fc.boolean(),
      }),
      fc.record({ kind: fc.constant("drop" as const), target: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ kind: fc.constant("take" as const), now: fc.integer({ min: 0, max: 99 }), most: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const schedule = new Schedule();
        const model = new Map<string, number>();
        for (const each of steps) {
          if (each.kind === "plan") {
            const name = String(each.target);
            schedule.plan(name, each.at, "timer", { replace: each.replace });
            const known = model.get(name);
            if (known === undefined || each.replace || each.at < known) model.set(name, each.at);
          } else if (each.kind === "drop") {
            schedule.drop(String(each.target));
            model.delete(String(each.target));
          } else {
            const taken = schedule.take(each.now, each.most, free).map(({ target }) => model.get(target) ?? -1);
            const due = [...model.values()].filter((at) => at <= each.now).sort((a, b) => a - b);
            expect(taken).toEqual(due.slice(0, each.most));
            for (const at of taken) model.delete([...model].find(([, value]) => value === at)?.[0] ?? "");
          }
          if (each.kind !== "take") continue;
          // Among equal moments either may have been taken: go on from the schedule's own.
          return;
        }
        expect(schedule.next(free)).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }),
    );
  });
});
