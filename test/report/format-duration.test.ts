import { expect, it } from "vitest";
import { age } from "../../src/report/format-duration.js";

it.each([
  [-5, "0 s"],
  [999, "0 s"],
  [1_000, "1 s"],
  [61_000, "1 m 1 s"],
  [3_600_000, "1 h"],
  [3_605_000, "1 h"],
  [7_380_000, "2 h 3 m"],
  [90_000_000 * 2, "2 d 2 h"],
])("%i milliseconds are %s", (milliseconds, text) => {
  expect(age(milliseconds)).toBe(text);
});
