import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withDeadline } from "../src/deadline.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("leaves no timer behind when the work ends, well or badly", async () => {
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
