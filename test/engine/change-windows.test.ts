import { describe, expect, it } from "vitest";
import type { WindowSettings } from "../../src/desired/configuration/agent.js";
import { Windows } from "../../src/engine/change-windows.js";

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

function window(kind: "allow" | "deny", cron: string, hours: number, more: Partial<WindowSettings> = {}): WindowSettings {
  return { kind, cron, duration: hours * HOUR, timeZone: "UTC", targets: undefined, ...more };
}

describe("windows", () => {
  it("are always open by default", () => {
    expect(new Windows([]).at("edge", at("2026-01-05T12:00:00Z"))).toEqual({ open: true });
  });

  it("are open from their start for their length, also over midnight", () => {
    const windows = new Windows([window("allow", "0 22 * * 1-5", 4)]);
    const open = (text: string) => windows.at("edge", at(text)).open;
    expect(open("2026-01-05T21:59:59Z")).toBe(false);
    expect(open("2026-01-05T22:00:00Z")).toBe(true);
    expect(open("2026-01-06T01:59:59Z")).toBe(true);
    expect(open("2026-01-06T02:00:00Z")).toBe(false);
    expect(open("2026-01-10T23:00:00Z")).toBe(false);
  });

  it("report their opening, and the end of a freeze", () => {
    const windows = new Windows([window("allow", "0 22 * * *", 2), window("deny", "0 0 24 12 *", 72)]);
    expect(windows.at("edge", at("2026-01-05T12:00:00Z"))).toMatchObject({ open: false, until: at("2026-01-05T22:00:00Z") });
    expect(windows.at("edge", at("2026-12-25T22:30:00Z"))).toMatchObject({ open: false, until: at("2026-12-27T00:00:00Z") });
  });

  it("follow their time zone through a change of the clocks", () => {
    const windows = new Windows([window("allow", "0 3 * * *", 1, { timeZone: "Europe/Budapest" })]);
    expect(windows.at("edge", at("2026-03-28T02:30:00Z")).open).toBe(true);
    expect(windows.at("edge", at("2026-03-30T02:30:00Z")).open).toBe(false);
    expect(windows.at("edge", at("2026-03-30T01:30:00Z")).open).toBe(true);
  });

  it.each([
    // The hour that is skipped: at its end.
    ["30 2 * * *", "Europe/Budapest", "2026-03-29", "2026-03-29T01:00:00Z"],
    ["30 2 8 3 *", "America/New_York", "2026-03-08", "2026-03-08T07:00:00Z"],
    ["0 0 * * *", "America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"],
    ["0 2 * * *", "Australia/Lord_Howe", "2026-10-04", "2026-10-03T15:30:00Z"],
    // The hour that comes twice: the first time.
    ["30 2 * * *", "Europe/Budapest", "2026-10-25", "2026-10-25T00:30:00Z"],
    ["30 1 * * *", "America/New_York", "2026-11-01", "2026-11-01T05:30:00Z"],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-05", "2026-04-04T14:45:00Z"],
    ["30 3 * * *", "Pacific/Chatham", "2026-04-05", "2026-04-04T13:45:00Z"],
  ])("at %s in %s open once on %s, for as long as they say", (cron, timeZone, day, begins) => {
    const windows = new Windows([window("allow", cron, 1, { timeZone })]);
    const begun = at(begins);
    const zoned = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
    const open: number[] = [];
    for (let time = begun - 30 * HOUR; time < begun + 30 * HOUR; time += HOUR / 12) {
      if (zoned.format(time) === day && windows.at("edge", time).open) open.push(time);
    }
    expect(open.map((time) => new Date(time).toISOString())).toEqual(
      Array.from({ length: 12 }, (_, i) => new Date(begun + (i * HOUR) / 12).toISOString()),
    );
  });

  it("of complete days follow the calendar, those of hours the hours", () => {
    const freeze = new Windows([window("deny", "0 0 * * 6", 48, { timeZone: "Europe/Budapest" })]);
    const last = (text: string) => freeze.at("edge", at(text)).open;
    expect([last("2026-10-25T22:59:59Z"), last("2026-10-25T23:00:00Z")]).toEqual([false, true]);
    expect([last("2026-03-29T21:59:59Z"), last("2026-03-29T22:00:00Z")]).toEqual([false, true]);
    expect(freeze.at("edge", at("2026-10-24T12:00:00Z"))).toMatchObject({ until: at("2026-10-25T23:00:00Z") });
    const night = new Windows([window("allow", "0 22 * * 6", 6, { timeZone: "Europe/Budapest" })]);
    expect(night.at("edge", at("2026-10-25T01:59:59Z")).open).toBe(true);
    expect(night.at("edge", at("2026-10-25T02:00:00Z")).open).toBe(false);
  });

  it("that exclude consecutive days leave no gap", () => {
    const windows = new Windows([window("deny", "0 0 * * *", 24, { timeZone: "Europe/Budapest" })]);
    for (const from of ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z"]) {
      for (let time = at(from); time < at(from) + 72 * HOUR; time += HOUR / 4) expect(windows.at("edge", time).open).toBe(false);
    }
  });

  it("apply to the targets that they name", () => {
    const windows = new Windows([window("deny", "0 0 * * *", 24, { targets: ["edge"] })]);
    expect(windows.at("edge", at("2026-01-05T12:00:00Z")).open).toBe(false);
    expect(windows.at("core", at("2026-01-05T12:00:00Z")).open).toBe(true);
  });

  it.each([
    ["61 * * * *", "UTC"],
    ["0 22 * * *", "Europe/Nowhere"],
    ["", "UTC"],
  ])("refuse %s in %s", (cron, timeZone) => {
    expect(() => new Windows([window("allow", cron, 1, { timeZone })])).toThrowError(expect.objectContaining({ code: "window-invalid" }));
  });
});
