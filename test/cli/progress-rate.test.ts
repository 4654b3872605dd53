import { expect, it } from "vitest";
import { ProgressRate } from "../../src/cli/progress-rate.js";

it("shows counts immediately, and rate and remaining time after a second", () => {
  let now = 0;
  const pace = new ProgressRate(() => now);
  expect(pace.words(0, 5000)).toBe("0 of 5000");
  now = 500;
  expect(pace.words(10, 5000)).toBe("10 of 5000");
  now = 10_000;
  expect(pace.words(120, 5000)).toBe("120 of 5000, 12/s, 7m left");
  now = 20_000;
  expect(pace.words(4880, 5000)).toBe("4880 of 5000, 244/s, 1s left");
  expect(pace.words(5000, 5000)).toBe("5000 of 5000");
});

it("shows slow work per minute, long work in hours, and restarts with new work", () => {
  let now = 0;
  const pace = new ProgressRate(() => now);
  pace.words(0, 200);
  now = 60_000;
  expect(pace.words(2, 200)).toBe("2 of 200, 2/min, 1h39m left");
  expect(pace.words(0, 30)).toBe("0 of 30");
  now = 62_000;
  expect(pace.words(2, 30)).toBe("2 of 30, 1/s, 28s left");
});
