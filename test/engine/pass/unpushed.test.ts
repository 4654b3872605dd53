import { describe, expect, it } from "vitest";
import { type BeforePush, unpushedOf } from "../../../src/engine/pass/unpushed.js";
import type { ManagedFirewall } from "../../../src/outcome/managed-firewalls.js";

const row = (more: Partial<ManagedFirewall> = {}): ManagedFirewall => ({
  serial: "1",
  by: "device-group/a",
  state: "out of sync",
  connected: true,
  version: "2",
  ...more,
});
const version = (n: number, admin: string) => ({ version: n, admin, time: `t${n}`, description: "" });
const VERSIONS = [version(1, "alice"), version(2, "alice"), version(3, "us"), version(4, "alice"), version(5, "us")];
const seen = (state: ManagedFirewall["state"], newest: number): BeforePush => ({
  rows: [row({ state })],
  versions: VERSIONS.slice(0, newest),
});

describe("unpushed commits of others", () => {
  it("are all that are newer than the firewall's version", () => {
    expect(unpushedOf([row()], VERSIONS, undefined, ["us"])).toEqual([
      "a push of device-group/a to 1 would include commits of others that were not pushed: version 4 by alice at t4",
    ]);
    expect(unpushedOf([row({ version: "4" })], VERSIONS, undefined, ["us"])).toEqual([]);
    expect(unpushedOf([row()], VERSIONS, undefined, ["us", "alice"])).toEqual([]);
  });

  it("are those since, if it was in sync before", () => {
    expect(unpushedOf([row()], VERSIONS, seen("in sync", 4), ["us"])).toEqual([]);
    expect(unpushedOf([row()], VERSIONS, seen("in sync", 3), ["us"])).toHaveLength(1);
    expect(unpushedOf([row({ version: undefined })], VERSIONS, seen("in sync", 4), ["us"])).toEqual([]);
    expect(unpushedOf([row()], VERSIONS, seen("out of sync", 4), ["us"])).toHaveLength(1);
  });

  it.each([
    ["none", row({ version: undefined })],
    ["no number", row({ version: "x" })],
    ["that of another manager of the pair", row({ version: "70" })],
  ])("is not known where the firewall's version is %s", (_, late) => {
    expect(unpushedOf([late], VERSIONS, undefined, ["us"])[0]).toMatch(/^the commits of device-group\/a that 1 lacks are unknown/);
  });
});
