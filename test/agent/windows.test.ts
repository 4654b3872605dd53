import { describe, expect, it } from "vitest";
import { Windows } from "../../src/agent/windows.js";
import type { WindowSettings } from "../../src/desired/configuration/agent.js";

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

function window(kind: "allow" | "deny", cron: string, hours: number, more: Partial<WindowSettings> = {}): WindowSettings {
  return { kind, cron, duration: hours * HOUR, timeZone: "UTC", targets: undefined, ...more };
}

describe("windows", () => {
  it("are always open where there are none", () => {
    expect(new Windows([]).at("edge", at("2026-01-05T12:00:00Z"))).toEqual({ open: true });
  });

  it("allow from their beginning on for their length, over midnight too", () => {
    const windows = new Windows([window("allow", "0 22 * * 1-5", 4)]);
    const open = (text: string) => windows.at("edge", at(text)).open;
    expect(open("2026-01-05T21:59:59Z")).toBe(false);
    expect(open("2026-01-05T22:00:00Z")).toBe(true);
    expect(open("2026-01-06T01:59:59Z")).toBe(true);
    expect(open("2026-01-06T02:00:00Z")).toBe(false);
    expect(open("2026-01-10T23:00:00Z")).toBe(false);
  });

  it("say when they open, and when a freeze ends", () => {
    const windows = new Windows([window("allow", "0 22 * * *", 2), window("deny", "0 0 24 12 *", 72)]);
    expect(windows.at("edge", at("2026-01-05T12:00:00Z"))).toMatchObject({ open: false, until: at("2026-01-05T22:00:00Z") });
    expect(windows.at("edge", at("2026-12-25T22:30:00Z"))).toMatchObject({ open: false, until: at("2026-12-27T00:00:00Z") });
  });

  it("follow their time zone through the change of the clocks", () => {
    const windows = new Windows([window("allow", "0 3 * * *", 1, { timeZone: "Europe/Budapest" })]);
    expect(windows.at("edge", at("2026-03-28T02:30:00Z")).open).toBe(true);
    expect(windows.at("edge", at("2026-03-30T02:30:00Z")).open).toBe(false);
    expect(windows.at("edge", at("2026-03-30T01:30:00Z")).open).toBe(true);
  });

  it("concern the targets that they name", () => {
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
