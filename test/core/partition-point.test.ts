import { expect, it } from "vitest";
import { partitionPoint } from "../../src/core/partition-point.js";

it("counts as a look from the left does, whatever the length and wherever it ends, and asks few", () => {
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
