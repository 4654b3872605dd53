import { describe, expect, it } from "vitest";
import { deviceTime, logTime, parseSince } from "../../../src/cli/logs/since.js";
import { filterFor } from "../../../src/targets/panos/log-time.js";

describe("--since", () => {
  it.each([
    ["90s", { ago: 90_000 }],
    ["15m", { ago: 900_000 }],
    ["2h", { ago: 7_200_000 }],
    ["1d", { ago: 86_400_000 }],
    ["1w", { ago: 604_800_000 }],
    ["2026-01-05", { at: "2026/01/05 00:00:00" }],
    ["2026/01/05 08:00", { at: "2026/01/05 08:00:00" }],
    ["2026-01-05T08:00:09", { at: "2026/01/05 08:00:09" }],
  ])("%s is understood", (text, since) => {
    expect(parseSince(text)).toEqual(since);
  });

  it.each(["", "yesterday", "5", "5y", "2026-02-30", "2026-01-05 25:00", "2026-01-05 08:00' or '", "999999d"])("%j is refused", (text) => {
    expect(() => parseSince(text)).toThrow(expect.objectContaining({ code: "option-invalid" }));
  });
});

describe("the time of a device", () => {
  it.each([
    ["Tue Jun 12 04:36:45 2018\n", "2018/06/12 04:36:45"],
    ["Mon Jan  5 08:00:00 PST 2026", "2026/01/05 08:00:00"],
    ["Mon, 05 Jan 2026 08:00:00 GMT\n", "2026/01/05 08:00:00"],
  ])("%j is read", (text, time) => {
    expect(logTime(deviceTime(text) ?? 0)).toBe(time);
  });

  it.each(["", "unknown", "05:00:00", "Foo Bar 12 04:36:45 2018"])("%j is invalid", (text) => {
    expect(deviceTime(text)).toBeUndefined();
  });
});

describe("a filter", () => {
  it.each([
    [undefined, undefined, undefined],
    [undefined, " ( a eq b ) ", "( a eq b )"],
    ["T", undefined, "( receive_time geq 'T' )"],
    ["T", " ", "( receive_time geq 'T' )"],
    ["T", "( a eq b ) and ( c eq d )", "( receive_time geq 'T' ) and ( a eq b ) and ( c eq d )"],
    ["T", "( a eq b ) or ( c eq d )", "( receive_time geq 'T' ) and ( ( a eq b ) or ( c eq d ) )"],
    ["T", "a eq b", "( receive_time geq 'T' ) and ( a eq b )"],
  ])("since %s of %s is %s", (since, query, filter) => {
    expect(filterFor(since, query)).toBe(filter);
  });
});
