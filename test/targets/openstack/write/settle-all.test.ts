import { describe, expect, it } from "vitest";
import { settleAll } from "../../../../src/targets/openstack/write/settle-all.js";

describe("work side by side", () => {
  it("starts in order, never above the limit, and each end is reported in that order", async () => {
    const begun: number[] = [];
    let under = 0;
    let most = 0;
    const ends = await settleAll(3, [5, 1, 4, 2, 3, 9, 7], async (item) => {
      begun.push(item);
      most = Math.max(most, ++under);
      for (let turn = 0; turn < item; turn++) await Promise.resolve();
      under -= 1;
      if (item === 4) throw new Error("four");
      return item * 2;
    });
    expect(begun).toEqual([5, 1, 4, 2, 3, 9, 7]);
    expect(most).toBe(3);
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)))).toEqual([10, 2, "Error: four", 4, 6, 18, 14]);
  });

  it("of nothing is nothing", async () => {
    expect(await settleAll(5, [], async () => 1)).toEqual([]);
  });
});
