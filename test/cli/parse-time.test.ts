import { describe, expect, it } from "vitest";
import { parseTime } from "../../src/cli/parse-time.js";

const NOW = Date.UTC(2026, 10, 20, 8);

describe("times on the command line", () => {
  it.each([
    ["90s", NOW - 90_000],
    ["15m", NOW - 900_000],
    ["2h", NOW - 7_200_000],
    ["1d", NOW - 86_400_000],
    ["1w", NOW - 604_800_000],
    ["2026-01-05", Date.UTC(2026, 0, 5)],
    ["2026-01-05 08:00", Date.UTC(2026, 0, 5, 8)],
    ["2026-01-05T08:00:01.5Z", Date.UTC(2026, 0, 5, 8, 0, 1, 500)],
    ["2026-01-05 08:00+02:00", Date.UTC(2026, 0, 5, 6)],
  ])("%s", (text, moment) => {
    expect(parseTime("--since", text, NOW)).toBe(moment);
  });

  it.each(["", "yesterday", "2026-13-01", "15", "15x", "-15m", "2026-01-05 25:00", "2026"])("%j is refused", (text) => {
    expect(() => parseTime("--since", text, NOW)).toThrow(expect.objectContaining({ code: "option-invalid" }));
  });
});
