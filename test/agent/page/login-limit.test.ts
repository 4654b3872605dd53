import { expect, it } from "vitest";
import { LoginLimit } from "../../../src/agent/page/login-limit.js";

it("stops the sixth wrong token of a client within a minute", () => {
  let now = 0;
  const limit = new LoginLimit(() => now);
  for (let i = 0; i < 5; i++) {
    expect(limit.failed("a")).toBe(0);
    now += 1000;
  }
  expect(limit.failed("a")).toBe(55);
  expect(limit.failed("b")).toBe(0);
  now = 60_000;
  expect(limit.failed("a")).toBe(0);
});

it("does not limit an address because of the attempts of others", () => {
  const limit = new LoginLimit(() => 0);
  for (let i = 0; i < 20_000; i++) limit.failed(`client ${i}`);
  expect(limit.failed("somebody else")).toBe(0);
});
