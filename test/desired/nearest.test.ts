import { describe, expect, it } from "vitest";
import { nearest, suggest } from "../../src/desired/nearest.js";

describe("nearest", () => {
  it.each([
    ["adress", "address"],
    ["egde", "edge"],
    ["Target", "target"],
    ["traget", "target"],
  ])("of %s is %s", (word, meant) => expect(nearest(word, ["edge", "target", "address", "service"])).toBe(meant));

  it("is nothing when nothing is near", () => {
    expect(nearest("quite-different", ["edge", "target"])).toBeUndefined();
    expect(suggest("quite-different", ["edge", "target"])).toBe("Write one of: edge, target.");
  });
});
