import { expect, it } from "vitest";
import { LoginLimit } from "../../../src/agent/page/login-limit.js";

it("stops the sixth wrong token of an address within a minute, and no other address", () => {
  let now = 0;
  const limit = new LoginLimit(() => now);
  for (let i = 0; i < 5; i++) {
    expect(limit.wait("a")).toBe(0);
    limit.failed("a");
    now += 1000;
  }
  expect(limit.wait("a")).toBe(55);
  expect(limit.wait("b")).toBe(0);
  now = 60_000;
  expect(limit.wait("a")).toBe(0);
});

it("stops everybody after sixty", () => {
  const limit = new LoginLimit(() => 0);
  for (let i = 0; i < 60; i++) limit.failed(`address ${i}`);
  expect(limit.wait("somebody else")).toBeGreaterThan(0);
});
