import { describe, expect, it } from "vitest";
import type { Identity } from "../../../src/plan/platform.js";
import { KnownDevices, timesIn } from "../../../src/targets/panos/known-devices.js";

const ANSWERS = { changeList: true, locks: true, pendingCheck: true, show: true };
const BOX: Identity = { serial: "1", version: "11.1.4", model: "PA-440", hostname: "fw", role: "standalone" };
const EDGE = "https://edge";

function knowing(): KnownDevices {
  const devices = new KnownDevices();
  devices.remember(EDGE, BOX, ANSWERS);
  return devices;
}

describe("capabilities of a device", () => {
  it("pass to the next process as a text, for the requested devices", () => {
    const next = new KnownDevices();
    next.recall(knowing().textOf([EDGE, "https://other"]));
    expect([next.lastSeen(EDGE), next.holds(EDGE, BOX)]).toEqual([ANSWERS, true]);
    expect(knowing().textOf(["https://other"])).toBe("");
  });

  it("pass with the durations of its jobs", () => {
    const bounds = { over: 50, busy: 40, steady: 3 };
    const text = knowing().textOf([EDGE], () => ({ commit: { took: 15_000 }, validate: { took: 1_000, bounds } }));
    expect(timesIn(text)).toEqual([[EDGE, { commit: { took: 15_000 }, validate: { took: 1_000, bounds } }]]);
    expect(timesIn(text.replace("15000", '"long"'))).toEqual([[EDGE, { validate: { took: 1_000, bounds } }]]);
    expect(timesIn("{")).toEqual([]);
  });

  it.each([
    '"50"',
    "null",
    "{}",
    '{"over":-1,"steady":0}',
    '{"over":50.5,"steady":0}',
    '{"over":1e400,"steady":0}',
    '{"over":50}',
    '{"over":50,"busy":50,"steady":0}',
    '{"over":50,"busy":"4","steady":0}',
  ])("says nothing of looks where the text says %s, and all else", (looks) => {
    const text = knowing().textOf([EDGE], () => ({ commit: { took: 1_000, bounds: { over: 7, steady: 0 } } }));
    expect(timesIn(text.replace('{"over":7,"steady":0}', looks))).toEqual([[EDGE, { commit: { took: 1_000, bounds: undefined } }]]);
  });

  it("are compatible with earlier versions in both directions", () => {
    const before = knowing().textOf([EDGE]).replace('"took":{}', '"took":{"commit":1000}');
    expect(timesIn(before)).toEqual([[EDGE, { commit: { took: 1_000 } }]]);
    const devices = new KnownDevices();
    devices.recall(knowing().textOf([EDGE], () => ({ commit: { took: 1_000, bounds: { over: 7, steady: 0 } } })));
    expect(JSON.parse(devices.textOf([EDGE], () => ({ commit: { took: 9_000 } }))).devices[EDGE]).toEqual({
      serial: "1",
      version: "11.1.4",
      answers: ANSWERS,
      took: { commit: 9_000 },
    });
  });

  it("belong to that device with that version only", () => {
    const next = new KnownDevices();
    next.recall(knowing().textOf([EDGE]));
    expect(next.holds(EDGE, { ...BOX, version: "11.1.5" })).toBe(false);
    expect(next.holds(EDGE, { ...BOX, serial: "2" })).toBe(false);
  });

  it("are this process's own observation if it has one", () => {
    const devices = new KnownDevices();
    devices.remember(EDGE, BOX, { ...ANSWERS, locks: false });
    devices.recall(knowing().textOf([EDGE]));
    expect(devices.lastSeen(EDGE)?.locks).toBe(false);
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '{"format":2,"devices":{}}',
    '{"format":1}',
    '{"format":1,"devices":{"https://edge":null}}',
    '{"format":1,"devices":{"https://edge":{"serial":1,"answers":{}}}}',
    '{"format":1,"devices":{"https://edge":{"serial":"1","version":"1","answers":{"changeList":true,"locks":true,"pendingCheck":true}}}}',
    '{"format":1,"devices":{"https://edge":{"serial":"1","version":1,"answers":{"changeList":true,"locks":true,"pendingCheck":true,"show":true}}}}',
  ])("is nothing where the text says %s", (text) => {
    const devices = new KnownDevices();
    devices.recall(text);
    expect(devices.lastSeen(EDGE)).toBeUndefined();
  });
});
