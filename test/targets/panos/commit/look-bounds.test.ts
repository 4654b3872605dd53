import { describe, expect, it } from "vitest";
import { untilNextLook } from "../../../../src/targets/panos/commit/job-times.js";
import { type LookBounds, likelyOver, narrowed, trialOf } from "../../../../src/targets/panos/commit/look-bounds.js";
import { randomOf } from "../policy/random.js";

const ROUND_TRIP = 5;

/** Durations of consecutive jobs, each polled by the durations of the ones before. */
function watched(takes: readonly number[], roundTrip = ROUND_TRIP) {
  let bounds: LookBounds | undefined;
  return takes.map((milliseconds) => {
    let elapsed = 0;
    let waited = 0;
    let busy: number | undefined;
    for (let looks = 0; ; looks++) {
      const wait = untilNextLook({ elapsed, waited, looks, expected: 1_000, bounds });
      waited += wait;
      elapsed += wait;
      const isLikely = bounds === undefined || waited >= likelyOver(bounds);
      if (elapsed + roundTrip >= milliseconds) {
        bounds = narrowed(bounds, { over: elapsed, busy });
        return { looks: looks + 1, over: elapsed, isLikely, bounds };
      }
      busy = elapsed;
      elapsed += roundTrip;
    }
  });
}

const times = <T>(count: number, value: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => value(at));
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

describe("jobs of constant duration", () => {
  it.each([0, 4, 20, 50, 120, 190])("of %d ms are soon polled only once, when they have ended", (milliseconds) => {
    const jobs = watched(times(60, () => milliseconds));
    const settled = jobs.slice(10);
    expect(settled.filter(({ looks }) => looks > 1).length).toBeLessThanOrEqual(Math.ceil(settled.length / 33));
    expect(Math.max(...settled.map(({ over }) => over))).toBeLessThanOrEqual(Math.max(milliseconds + 20, milliseconds * 1.25));
    expect(settled.filter(({ isLikely }) => !isLikely)).toEqual([]);
    expect(sum(jobs.slice(0, 10).map(({ looks }) => looks))).toBeLessThanOrEqual(14);
  });

  it("of less than a round trip are polled immediately", () => {
    expect(
      watched(
        times(20, () => 50),
        300,
      ).at(-1),
    ).toMatchObject({ looks: 1, over: 0, isLikely: true });
  });

  it("of half a second are polled as often as without bounds, and earlier", () => {
    const settled = watched(times(60, () => 400)).slice(10);
    expect(Math.max(...settled.map(({ over }) => over))).toBeLessThanOrEqual(480);
    expect(sum(settled.map(({ looks }) => looks))).toBeLessThanOrEqual(settled.length * 2 + 2);
  });
});

describe("jobs of varying duration", () => {
  it("are polled only slightly more often than without bounds, and not later", () => {
    for (const spread of [0.1, 0.25, 0.5]) {
      const next = randomOf(7);
      const jobs = watched(times(1_000, () => 60 * (1 + spread * (2 * next() - 1))));
      expect(sum(jobs.map(({ looks }) => looks)) / jobs.length).toBeLessThan(1.1);
      expect(sum(jobs.map(({ over }) => over)) / jobs.length).toBeLessThan(140);
    }
  });

  it("need one more poll after an occasional long job, and short ones take no longer than without bounds", () => {
    const jobs = watched(times(400, (at) => (at % 10 === 9 ? 1_500 : 50)));
    const quick = jobs.filter((_, at) => at % 10 !== 9);
    expect(Math.max(...quick.map(({ over }) => over))).toBeLessThanOrEqual(200);
    expect(sum(jobs.map(({ looks }) => looks)) / jobs.length).toBeLessThan(1.2 + 0.35);
  });

  it("are soon polled only once again after the device has become slower or faster", () => {
    const slower = watched([...times(50, () => 50), ...times(50, () => 150)]).slice(60);
    expect(slower.filter(({ looks }) => looks > 1).length).toBeLessThanOrEqual(2);
    expect(Math.max(...slower.map(({ over }) => over))).toBeLessThanOrEqual(190);
    const quicker = watched([...times(50, () => 150), ...times(150, () => 50)]).slice(190);
    expect(Math.max(...quicker.map(({ over }) => over))).toBeLessThanOrEqual(75);
  });
});

describe("bounds", () => {
  it("are tested between the known values, unless these are close", () => {
    expect([200, 20, 0].map((over) => trialOf({ over, steady: 0 }))).toEqual([100, 0, undefined]);
    expect(trialOf({ over: 200, busy: 50, steady: 0 })).toBe(100);
    expect(trialOf({ over: 50, busy: 0, steady: 0 })).toBe(7);
    expect([trialOf({ over: 50, busy: 30, steady: 0 }), trialOf({ over: 1_000, busy: 800, steady: 31 })]).toEqual([undefined, undefined]);
    expect(trialOf({ over: 1_000, busy: 800, steady: 32 })).toBe(800);
  });

  it("ignore a late poll, for example of a suspended process", () => {
    expect(narrowed({ over: 50, busy: 40, steady: 1 }, { over: 3_600_000, busy: undefined })).toEqual({ over: 50, busy: 40, steady: 2 });
  });

  it("rise after a job was still running when it should have ended", () => {
    expect(narrowed({ over: 50, busy: 40, steady: 9 }, { over: 200, busy: 50 })).toEqual({ over: 200, busy: 50, steady: 0 });
  });

  it("drop the lower bound if a job ended much earlier, and halve it if it ended slightly earlier", () => {
    expect(narrowed({ over: 1_700, busy: 700, steady: 0 }, { over: 200, busy: undefined })).toEqual({ over: 200, steady: 0 });
    expect(narrowed({ over: 50, busy: 40, steady: 32 }, { over: 40, busy: undefined })).toEqual({ over: 40, busy: 20, steady: 0 });
  });

  it("test the lower value again after a number of jobs", () => {
    expect(narrowed({ over: 50, busy: 40, steady: 32 }, { over: 50, busy: 40 })).toEqual({ over: 50, busy: 40, steady: 0 });
  });
});
