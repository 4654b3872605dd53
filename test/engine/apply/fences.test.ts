import { describe, expect, it } from "vitest";
import { leaseLost, type WriteLease } from "../../../src/core/write-lease.js";
import { heldTogether, keepingFence, leaseFence, unshared } from "../../../src/engine/apply/fences.js";
import type { RunLease } from "../../../src/engine/lease/run-lease.js";

const lease = (mayWrite: () => void, fence = 1): WriteLease => ({ fence, mayWrite });
const lost = leaseLost("edge");
const refuses = (): never => {
  throw lost;
};

describe("the fence of a lease", () => {
  it("starts no write without the lease, and reports that", async () => {
    const told: string[] = [];
    const write = async () => void told.push("written");
    await expect(leaseFence(lease(refuses), () => told.push("lost")).run(write)).rejects.toBe(lost);
    expect(told).toEqual(["lost"]);
    await leaseFence(
      lease(() => undefined),
      () => told.push("lost"),
    ).run(write);
    expect(told).toEqual(["lost", "written"]);
  });

  it("returns the result of the write, and other errors are no loss of the lease", async () => {
    const told: string[] = [];
    const fence = leaseFence(
      lease(() => undefined),
      () => told.push("lost"),
    );
    expect(await fence.run(async () => 7)).toBe(7);
    await expect(fence.run(() => Promise.reject(new Error("full")))).rejects.toThrow("full");
    expect(told).toEqual([]);
  });

  it("renews the lease of the run before each write", async () => {
    const done: string[] = [];
    const run = { keep: async () => void done.push("kept") } as unknown as RunLease;
    await keepingFence(run, unshared).run(async () => void done.push("written"));
    expect(done).toEqual(["kept", "written"]);
    const gone = { keep: () => Promise.reject(lost) } as unknown as RunLease;
    await expect(keepingFence(gone, unshared).run(async () => void done.push("written"))).rejects.toBe(lost);
    expect(done).toHaveLength(2);
  });

  it("checks two leases: both must be valid, and the visit's is counted", () => {
    const run = (mayWrite: () => void) => lease(mayWrite, 1) as RunLease;
    const fine = (): void => undefined;
    expect(heldTogether(undefined, run(refuses)).mayWrite).toThrow(lost);
    expect(() => heldTogether(lease(fine), run(refuses)).mayWrite()).toThrow(lost);
    expect(() => heldTogether(lease(refuses), run(fine)).mayWrite()).toThrow(lost);
    expect(() => heldTogether(lease(fine), run(fine)).mayWrite()).not.toThrow();
    expect(heldTogether({ ...lease(fine, 9), tookOver: true }, run(fine))).toMatchObject({ fence: 9, tookOver: true });
  });
});
