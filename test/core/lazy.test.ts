import { expect, it } from "vitest";
import { Lazy } from "../../src/core/lazy.js";

it("creates one value for all callers, on the first call", async () => {
  let made = 0;
  const lazy = new Lazy(async () => ++made);
  expect([lazy.made, made]).toEqual([undefined, 0]);
  expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1]);
  expect(await lazy.made).toBe(1);
  expect(await lazy.get()).toBe(1);
});

it("forgets a failure for all callers and creates the value again", async () => {
  let tries = 0;
  const lazy = new Lazy(async () => {
    if (++tries === 1) throw new Error("not yet");
    return "made";
  });
  const both = await Promise.allSettled([lazy.get(), lazy.get()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(lazy.made).toBeUndefined();
  expect(await lazy.get()).toBe("made");
  expect(tries).toBe(2);
});
