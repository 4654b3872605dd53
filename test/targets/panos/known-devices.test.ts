import { describe, expect, it } from "vitest";
import type { Identity } from "../../../src/plan/platform.js";
import { KnownDevices } from "../../../src/targets/panos/known-devices.js";

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

  it("are read from the text of an earlier version, which contains durations of jobs", () => {
    const text = JSON.parse(knowing().textOf([EDGE]));
    Object.assign(text.devices[EDGE], { took: { commit: 1_000 }, looks: { commit: { over: 7, steady: 0 } } });
    const next = new KnownDevices();
    next.recall(JSON.stringify(text));
    expect(next.lastSeen(EDGE)).toEqual(ANSWERS);
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
