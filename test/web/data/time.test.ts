import { afterEach, describe, expect, it } from "vitest";
import { askedFor, filterOf, historyLink, NO_FILTER } from "../../../web/data/history-filter.js";
import { boundsOf, dayAsked, dayOf, moment, offsetText, showIn, spanWords } from "../../../web/data/time.js";

const AT = Date.UTC(2026, 10, 20, 3, 12, 40) / 1000;

afterEach(() => showIn("local"));

describe("a time", () => {
  it("shows its offset from UTC", () => {
    expect([offsetText(0), offsetText(-60), offsetText(210), offsetText(-345)]).toEqual(["UTC", "UTC+01:00", "UTC−03:30", "UTC+05:45"]);
    showIn("utc");
    expect(moment(AT)).toBe("2026-11-20 03:12:40 UTC");
    showIn("local");
    const wall = new Date(AT * 1000);
    expect(moment(AT)).toContain(` ${String(wall.getHours()).padStart(2, "0")}:12:40 ${offsetText(wall.getTimezoneOffset())}`);
  });

  it.each(["utc", "local"] as const)("lies in its day, in %s", (zone) => {
    showIn(zone);
    const { since = 0, until = 0 } = boundsOf(dayOf(AT)) ?? {};
    expect(since <= AT && AT < until).toBe(true);
    expect([dayOf(since), dayOf(until - 1)]).toEqual([dayOf(AT), dayOf(AT)]);
    expect(dayOf(until)).not.toBe(dayOf(AT));
    expect(boundsOf("yesterday")).toBeUndefined();
  });
});

describe("a history query", () => {
  it("has an address with the same rows in every time zone", () => {
    showIn("utc");
    const filter = { ...NO_FILTER, target: "fra edge", person: 'page token, says "ann"', kind: "drift", ...boundsOf("2026-11-20") };
    const link = historyLink(filter);
    showIn("local");
    expect(filterOf(new URLSearchParams(link.split("?")[1]))).toEqual(filter);
    expect(askedFor(filter)).toMatchObject({ since: String(Date.UTC(2026, 10, 20) / 1000), until: String(Date.UTC(2026, 10, 21) / 1000) });
    expect(historyLink({})).toBe("#/history");
    expect(askedFor(NO_FILTER)).toEqual({});
  });

  it("is a local day if possible, otherwise two times", () => {
    showIn("utc");
    const day = { ...NO_FILTER, ...boundsOf("2026-11-20") };
    expect([dayAsked(day), spanWords(day)]).toEqual(["2026-11-20", ""]);
    const elsewhere = { ...day, since: day.since - 3600, until: day.until - 3600 };
    expect([dayAsked(elsewhere), spanWords(elsewhere)]).toEqual(["", "from 2026-11-19 23:00:00 UTC until 2026-11-20 23:00:00 UTC"]);
    expect(spanWords({ ...NO_FILTER, since: AT })).toBe("from 2026-11-20 03:12:40 UTC");
    expect(filterOf(new URLSearchParams("since=nonsense&until=1969-01-01T00:00Z"))).toEqual(NO_FILTER);
  });
});
