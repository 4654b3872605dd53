import { describe, expect, it } from "vitest";
import { JobTimes, mayEndBy, untilNextLook } from "../../../../src/targets/panos/commit/job-times.js";

/** When a job that takes `milliseconds` is looked at, as often as it takes to see it over. */
function looksAt(milliseconds: number, expected?: number): number[] {
  const times: number[] = [];
  for (let elapsed = 0; elapsed < milliseconds; times.push(elapsed)) {
    elapsed += untilNextLook({ elapsed, looks: times.length, expected });
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

describe("times of jobs", () => {
  it("are those of one device and one kind of job", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { seconds: undefined }, 700);
    expect(times.expected("https://a", "commit")).toBe(700);
    expect(times.expected("https://a", "validate")).toBeUndefined();
    expect(times.expected("https://b", "commit")).toBeUndefined();
  });

  it("go over to the next process in whole seconds, and say nothing of a kind that it has seen itself", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { seconds: undefined }, 700);
    times.ended("https://b", "commit", { seconds: undefined }, 9_100);
    const next = new JobTimes();
    next.ended("https://b", "commit", { seconds: undefined }, 300);
    for (const device of ["https://a", "https://b"]) next.recall(device, times.of(device));
    expect([next.of("https://a"), next.expected("https://b", "commit")]).toEqual([{ commit: 1000 }, 300]);
  });

  it("say when a job is likely to be over, where there are any", () => {
    expect([mayEndBy(200, undefined), mayEndBy(200, 1_000), mayEndBy(200, 9_000), mayEndBy(9_000, 9_000)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("are the device's own of a long job, and what was watched of a short one", () => {
    const times = new JobTimes();
    times.ended("https://a", "commit", { seconds: 10 }, 13_231);
    expect(times.expected("https://a", "commit")).toBe(11_000);
    times.ended("https://a", "commit", { seconds: 0 }, 200);
    expect(times.expected("https://a", "commit")).toBe(200);
  });
});
