import { describe, expect, it } from "vitest";
import { trafficLog } from "../../../../src/targets/panos/policy/logged-session.js";

const RECORD: Readonly<Record<string, string>> = {
  ...{ receive_time: "2026/11/20 10:00:05", start: "2026/11/20 09:58:00", subtype: "end", vsys: "vsys2" },
  ...{ src: "10.0.0.1", dst: "10.0.1.2", from: "office", to: "db", sport: "40001", dport: "5432", proto: "tcp" },
  ...{ app: "postgres", srcuser: "example\\mkovacs", rule: "office-to-db", rule_uuid: "u-1", repeatcnt: "3", bytes: "812" },
};
const read = (more: Readonly<Record<string, string>> = {}) => trafficLog.read(new Map(Object.entries({ ...RECORD, ...more })));

describe("a record of the traffic log", () => {
  it("is the sessions that it represents, as security rules saw them", () => {
    expect(read()).toEqual({
      scope: "vsys2",
      session: {
        ...{ from: "office", to: "db", source: 0x0a000001n, destination: 0x0a000102n, protocol: 6, port: 5432, sourcePort: 40_001 },
        ...{ application: "postgres", user: "known", rule: { name: "office-to-db", uuid: "u-1" } },
      },
      ...{ source: "10.0.0.1", destination: "10.0.1.2", service: "tcp/5432", application: "postgres" },
      ...{ began: "2026/11/20 09:58:00", seen: "2026/11/20 10:00:05", times: 3, bytes: 812 },
    });
  });

  it("of a starting session is not counted: its end is logged too", () => {
    expect(read({ subtype: "start" })).toBe("begun");
  });

  it.each(["incomplete", "insufficient-data", "not-applicable", ""])("does not treat %s as an application", (app) => {
    expect(read({ app })).toMatchObject({ session: { application: undefined }, application: "application not known" });
  });

  it.each([
    ["ipv6-icmp", 58, "ipv6-icmp"],
    ["icmp", 1, "icmp"],
    ["47", 47, "47"],
  ])("of %s has a protocol and no port", (proto, protocol, service) => {
    expect(read({ proto, dport: "0", src: "2001:db8::1" })).toMatchObject({ session: { protocol, port: 0 }, service });
  });

  it.each([{ proto: "carrier-pigeon" }, { src: "somewhere" }, { dst: "" }])("is not understood with %o", (more) => {
    expect(read(more as Readonly<Record<string, string>>)).toBeUndefined();
  });

  it("counts once without a number", () => {
    expect(read({ repeatcnt: "", bytes: "many", srcuser: "", start: "" })).toMatchObject({
      ...{ times: 1, bytes: 0, began: "2026/11/20 10:00:05", session: { user: "unknown" } },
    });
  });
});
