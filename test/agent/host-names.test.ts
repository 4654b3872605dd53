import { describe, expect, it } from "vitest";
import { HostNames } from "../../src/agent/host-names.js";

const names = new HostNames(["0.0.0.0", "Plumbline.example.com", "agent-1"]);

describe("host names of an agent", () => {
  it.each([
    "127.0.0.1:9464",
    "127.0.0.1",
    "10.4.0.7:9464",
    "[::1]:9464",
    "[fe80::1]",
    "localhost",
    "LOCALHOST:9464",
    "fleet.localhost:9464",
    "plumbline.example.com",
    "PLUMBLINE.example.com.:443",
    "agent-1:9464",
  ])("%s is one", (host) => {
    expect(names.stranger({ host })).toBeUndefined();
  });

  it.each([
    ["evil.example", "evil.example"],
    ["evil.example:9464", "evil.example"],
    ["plumbline.example.com.evil.example", "plumbline.example.com.evil.example"],
    ["xplumbline.example.com", "xplumbline.example.com"],
    ["localhost.evil.example", "localhost.evil.example"],
    ["notlocalhost", "notlocalhost"],
    ["127.0.0.1.evil.example", "127.0.0.1.evil.example"],
    ["127.0.0.1:9464@evil.example", "127.0.0.1:9464@evil.example"],
    ["[::1].evil.example", "[::1].evil.example"],
    ["2130706433", "2130706433"],
    ["", ""],
  ])("%j is none", (host, stranger) => {
    expect(names.stranger({ host })).toBe(stranger);
  });

  it("include the name that a proxy was called by, all of several", () => {
    const asked = (forwarded: string) => names.stranger({ host: "10.4.0.7:9464", "x-forwarded-host": forwarded });
    expect(asked("plumbline.example.com")).toBeUndefined();
    expect(asked("evil.example")).toBe("evil.example");
    expect(asked("plumbline.example.com, evil.example:80")).toBe("evil.example");
    expect(names.stranger({ host: "evil.example", "x-forwarded-host": "localhost" })).toBe("evil.example");
  });

  it("are missing if no header has one", () => {
    expect(names.stranger({})).toBe("");
  });
});
