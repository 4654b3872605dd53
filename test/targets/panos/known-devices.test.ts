import { describe, expect, it } from "vitest";
import type { Identity } from "../../../src/plan/platform.js";
import { KnownDevices, tookIn } from "../../../src/targets/panos/known-devices.js";

const ANSWERS = { changeList: true, locks: true, pendingCheck: true, show: true };
const BOX: Identity = { serial: "1", version: "11.1.4", model: "PA-440", hostname: "fw", role: "standalone" };
const EDGE = "https://edge";

function knowing(): KnownDevices {
  const devices = new KnownDevices();
  devices.remember(EDGE, BOX, ANSWERS);
  return devices;
}

describe("what a device answers to", () => {
  it("goes over to the next process as a text, of the devices that are asked for", () => {
    const next = new KnownDevices();
    next.recall(knowing().textOf([EDGE, "https://other"]));
    expect([next.lastSeen(EDGE), next.holds(EDGE, BOX)]).toEqual([ANSWERS, true]);
    expect(knowing().textOf(["https://other"])).toBe("");
  });

  it("goes over with what its jobs took", () => {
    const text = knowing().textOf([EDGE], () => ({ commit: 15_000 }));
    expect(tookIn(text)).toEqual([[EDGE, { commit: 15_000 }]]);
    expect(tookIn(text.replace("15000", '"long"'))).toEqual([[EDGE, {}]]);
    expect(tookIn("{")).toEqual([]);
  });

  it("is of that box with that version alone", () => {
    const next = new KnownDevices();
    next.recall(knowing().textOf([EDGE]));
    expect(next.holds(EDGE, { ...BOX, version: "11.1.5" })).toBe(false);
    expect(next.holds(EDGE, { ...BOX, serial: "2" })).toBe(false);
  });

  it("is what this process saw itself, where it did", () => {
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
