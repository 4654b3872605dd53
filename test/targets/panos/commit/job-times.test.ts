import { describe, expect, it } from "vitest";
import { JobTimes, mayEndBy, type SeenEnd, untilNextLook } from "../../../../src/targets/panos/commit/job-times.js";
import type { LookBounds } from "../../../../src/targets/panos/commit/look-bounds.js";

/** When a job that takes `milliseconds` is looked at, as often as it takes to see it over. */
function looksAt(milliseconds: number, expected?: number, bounds?: LookBounds): number[] {
  const times: number[] = [];
  for (let at = 0; times.length === 0 || at < milliseconds; times.push(at)) {
    at += untilNextLook({ elapsed: at, waited: at, looks: times.length, expected, bounds });
  }
  return times;
}

describe("a job of which nothing is known", () => {
  it("is looked at soon, and then ever more rarely", () => {
    expect(looksAt(50)).toEqual([200]);
    expect(looksAt(650)).toEqual([200, 700]);
    expect(looksAt(10_000)).toEqual([200, 700, 1_700, 3_700, 6_200, 9_325, 13_231.25]);
  });

  it("is not asked about more often than every ten seconds when it takes long", () => {
    const last = looksAt(600_000).slice(-3);
    expect(last.map((time, index) => time - (last[index - 1] ?? time))).toEqual([0, 10_000, 10_000]);
  });
});

describe("a job that took long the last time", () => {
  it("is looked at when it can be over: within a fifth of what it takes", () => {
    for (const takes of [5_000, 10_000, 60_000]) {
      const looks = looksAt(takes, takes + 1_000);
      expect(looks.at(-1)).toBeLessThanOrEqual(takes * 1.2);
      expect(looks.length).toBeLessThanOrEqual(Math.ceil(takes / 10_000) + 1);
    }
  });

  it("is looked at no more often than every two seconds, also when it takes longer than the last", () => {
    const looks = looksAt(40_000, 11_000);
    const waits = looks.map((time, index) => time - (looks[index - 1] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_000);
  });
});

describe("a short job of a kind that was looked at before", () => {
  it("is looked at when it was over, and from then on as one of which nothing is known", () => {
    const bounds = { over: 50, busy: 40, steady: 0 };
    expect(looksAt(45, 1_000, bounds)).toEqual([50]);
    expect(looksAt(10_000, 1_000, bounds)).toEqual([50, ...looksAt(10_000)]);
  });

  it("is looked at no later than one of which nothing is known, and no more often", () => {
    const bounds = { over: 900, busy: 800, steady: 0 };
    expect(looksAt(850, 1_000, bounds)).toEqual([200, 700, 900]);
    expect(looksAt(150, 1_000, bounds)).toEqual([200]);
  });

  it("is looked at once earlier, while that can teach something", () => {
    expect(looksAt(200, 1_000, { over: 200, steady: 0 })).toEqual([100, 200]);
    expect(looksAt(200, 1_000, { over: 200, busy: 100, steady: 0 })).toEqual([141, 200]);
  });

  it("is looked at at once where it was over at once", () => {
    expect(looksAt(0, 1_000, { over: 0, steady: 0 })).toEqual([0]);
    expect(looksAt(100, 1_000, { over: 0, steady: 0 })).toEqual([0, 200]);
  });

  it("counts the round trips of looks for nothing", () => {
    const bounds = { over: 50, busy: 40, steady: 0 };
    expect(untilNextLook({ elapsed: 350, waited: 50, looks: 1, expected: 1_000, bounds })).toBe(150);
  });

  it("is likely to be over when it was, or where nothing ever found one at work", () => {
    const likely = (waited: number, bounds: LookBounds) => mayEndBy({ elapsed: waited, waited, expected: 1_000, bounds });
    expect([likely(35, { over: 50, busy: 25, steady: 0 }), likely(50, { over: 50, busy: 25, steady: 0 })]).toEqual([false, true]);
    expect([likely(200, { over: 900, busy: 800, steady: 0 }), likely(100, { over: 200, steady: 0 })]).toEqual([false, true]);
  });
});

/** A job without times of its own, seen over by the look that was sent at `over`. */
const ok = { seconds: undefined, result: "OK" };
const seen = (over: number, told = over): SeenEnd => ({ told, over, busy: undefined });

describe("times of jobs", () => {
  it("are those of one device and one kind of job", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", ok, seen(700));
    expect(times.expected("https://a", "commit")).toBe(700);
    expect(times.bounds("https://a", "commit")).toEqual({ over: 700, steady: 0 });
    expect(times.expected("https://a", "validate")).toBeUndefined();
    expect(times.expected("https://b", "commit")).toBeUndefined();
  });

  it("go over to the next process, and say nothing of a kind that it has seen itself", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", ok, seen(700));
    times.ended("https://b", "commit", ok, seen(9_100));
    const next = new JobTimes();
    next.ended("https://b", "commit", ok, seen(300));
    for (const device of ["https://a", "https://b"]) next.recall(device, times.of(device));
    expect([next.of("https://a"), next.expected("https://b", "commit")]).toEqual([
      { commit: { took: 1000, bounds: { over: 700, steady: 0 } } },
      300,
    ]);
  });

  it("say when a job is likely to be over, where there are any", () => {
    const likely = (elapsed: number, expected?: number) => mayEndBy({ elapsed, waited: elapsed, expected });
    expect([likely(200), likely(200, 1_000), likely(200, 9_000), likely(9_000, 9_000)]).toEqual([false, true, false, true]);
  });

  it("are the device's own of a long job, and what was watched of a short one", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { ...ok, seconds: 10 }, seen(13_231));
    expect([times.expected("https://a", "commit"), times.bounds("https://a", "commit")]).toEqual([11_000, undefined]);
    times.ended("https://a", "commit", { ...ok, seconds: 0 }, seen(200, 500));
    expect([times.expected("https://a", "commit"), times.bounds("https://a", "commit")?.over]).toEqual([500, 200]);
    times.ended("https://a", "commit", { ...ok, seconds: 10 }, seen(13_231));
    expect(times.bounds("https://a", "commit")).toBeUndefined();
  });

  it("are bounded by the device's own, where no look was sent when it was over", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { ...ok, seconds: 1 }, { told: 3_700, over: 3_700, busy: 1_700 });
    expect(times.bounds("https://a", "commit")).toEqual({ over: 2_000, busy: 1_700, steady: 0 });
  });

  it("learn no bound from a job that failed, and keep none of another box", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", ok, seen(200));
    times.ended("https://a", "commit", { ...ok, result: "FAIL" }, seen(100));
    expect(times.bounds("https://a", "commit")?.over).toBe(200);
    times.forgetBounds("https://b");
    expect(times.bounds("https://a", "commit")?.over).toBe(200);
    times.forgetBounds("https://a");
    expect([times.expected("https://a", "commit"), times.bounds("https://a", "commit")]).toEqual([100, undefined]);
  });
});
