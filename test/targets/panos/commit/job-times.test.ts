import { describe, expect, it } from "vitest";
import { JobTimes, type SeenEnd, untilNextLook } from "../../../../src/targets/panos/commit/job-times.js";
import type { LookBounds } from "../../../../src/targets/panos/commit/look-bounds.js";

/** Times of the polls until one finds that a job of `milliseconds` has ended. */
function looksAt(milliseconds: number, expected?: number, bounds?: LookBounds): number[] {
  const times: number[] = [];
  for (let at = 0; times.length === 0 || at < milliseconds; times.push(at)) {
    at += untilNextLook({ elapsed: at, waited: at, looks: times.length, expected, bounds });
  }
  return times;
}

describe("a job of unknown duration", () => {
  it("is polled soon, and then less and less often", () => {
    expect(looksAt(50)).toEqual([200]);
    expect(looksAt(650)).toEqual([200, 700]);
    expect(looksAt(10_000)).toEqual([200, 700, 1_700, 3_700, 6_200, 9_325, 13_231.25]);
  });

  it("is polled every ten seconds after a long time", () => {
    const last = looksAt(600_000).slice(-3);
    expect(last.map((time, index) => time - (last[index - 1] ?? time))).toEqual([0, 10_000, 10_000]);
  });
});

describe("a job that took long the last time", () => {
  it("is polled when it may have ended, within a fifth of its duration", () => {
    for (const takes of [5_000, 10_000, 60_000]) {
      const looks = looksAt(takes, takes + 1_000);
      expect(looks.at(-1)).toBeLessThanOrEqual(takes * 1.2);
      expect(looks.length).toBeLessThanOrEqual(Math.ceil(takes / 10_000) + 1);
    }
  });

  it("is polled at most every two seconds, also if it takes longer than the last one", () => {
    const looks = looksAt(40_000, 11_000);
    const waits = looks.map((time, index) => time - (looks[index - 1] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_000);
  });
});

describe("a short job of a kind that was polled before", () => {
  it("is polled when the last one had ended, and then like a job of unknown duration", () => {
    const bounds = { over: 50, busy: 40, steady: 0 };
    expect(looksAt(45, 1_000, bounds)).toEqual([50]);
    expect(looksAt(10_000, 1_000, bounds)).toEqual([50, ...looksAt(10_000)]);
  });

  it("is polled no later and no more often than a job of unknown duration", () => {
    const bounds = { over: 900, busy: 800, steady: 0 };
    expect(looksAt(850, 1_000, bounds)).toEqual([200, 700, 900]);
    expect(looksAt(150, 1_000, bounds)).toEqual([200]);
  });

  it("is polled earlier once, while that can narrow the bounds", () => {
    expect(looksAt(200, 1_000, { over: 200, steady: 0 })).toEqual([100, 200]);
    expect(looksAt(200, 1_000, { over: 200, busy: 100, steady: 0 })).toEqual([141, 200]);
  });

  it("is polled immediately if the last one had ended immediately", () => {
    expect(looksAt(0, 1_000, { over: 0, steady: 0 })).toEqual([0]);
    expect(looksAt(100, 1_000, { over: 0, steady: 0 })).toEqual([0, 200]);
  });

  it("does not count the round trips of polls", () => {
    const bounds = { over: 50, busy: 40, steady: 0 };
    expect(untilNextLook({ elapsed: 350, waited: 50, looks: 1, expected: 1_000, bounds })).toBe(150);
  });
});

/** A job without times from the device. The poll that was sent at `over` found that it had ended. */
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

  it("are passed to the next process, which prefers its own measurements", () => {
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

  it("come from the device for a long job, and from polls for a short one", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { ...ok, seconds: 10 }, seen(13_231));
    expect([times.expected("https://a", "commit"), times.bounds("https://a", "commit")]).toEqual([11_000, undefined]);
    times.ended("https://a", "commit", { ...ok, seconds: 0 }, seen(200, 500));
    expect([times.expected("https://a", "commit"), times.bounds("https://a", "commit")?.over]).toEqual([500, 200]);
    times.ended("https://a", "commit", { ...ok, seconds: 10 }, seen(13_231));
    expect(times.bounds("https://a", "commit")).toBeUndefined();
  });

  it("are bounded by the device's duration if no poll was sent near the end", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { ...ok, seconds: 1 }, { told: 3_700, over: 3_700, busy: 1_700 });
    expect(times.bounds("https://a", "commit")).toEqual({ over: 2_000, busy: 1_700, steady: 0 });
  });

  it("ignore a failed job for the bounds, and drop the bounds of a replaced device", () => {
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
