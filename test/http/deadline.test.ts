import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { underLease } from "../../src/core/write-lease.js";
import { exchangeTime, withDeadline } from "../../src/http/deadline.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("leaves no timer behind, whether the work succeeds or fails", async () => {
  expect(await withDeadline(1000, async () => "done")).toBe("done");
  await expect(withDeadline(1000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(vi.getTimerCount()).toBe(0);
});

it("aborts work that takes longer", async () => {
  const work = withDeadline(
    1000,
    (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  const outcome = expect(work).rejects.toMatchObject({ name: "TimeoutError" });
  await vi.advanceTimersByTimeAsync(1000);
  await outcome;
});

it("limits a leased write to one timeout in all, which is the time that the next lease holder waits", async () => {
  expect([exchangeTime(60, true), exchangeTime(60, false)]).toEqual([1_200_000, 1_200_000]);
  const lease = { fence: 1, mayWrite: () => undefined };
  expect(await underLease(lease, async () => [exchangeTime(60, true), exchangeTime(60, false)])).toEqual([1_200_000, 60_000]);
});
