import { expect, it } from "vitest";
import { partitionPoint } from "../../src/core/partition-point.js";

it("finds the same point as a linear search, with few comparisons", () => {
  for (let length = 0; length <= 40; length++)
    for (let end = 0; end <= length; end++) {
      let asked = 0;
      const found = partitionPoint(length, (at) => {
        asked++;
        expect(at >= 0 && at < length).toBe(true);
        return at < end;
      });
      expect([found, asked <= 6], `${length}, ${end}`).toEqual([end, true]);
    }
});
