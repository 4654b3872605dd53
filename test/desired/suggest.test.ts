import { describe, expect, it } from "vitest";
import { nearest, suggest } from "../../src/desired/suggest.js";

describe("nearest", () => {
  it.each([
    ["adress", "address"],
    ["egde", "edge"],
    ["Target", "target"],
    ["traget", "target"],
  ])("of %s is %s", (word, meant) => expect(nearest(word, ["edge", "target", "address", "service"])).toBe(meant));

  it("does not search a list that is too long to print", () => {
    const many = Array.from({ length: 2000 }, (_, i) => `firewall-${i}`);
    expect(suggest("x", many)).toMatch(/^Write one of: firewall-0, .*firewall-19 and 1980 more\.$/);
  });

  it("returns nothing if no word is similar", () => {
    expect(nearest("quite-different", ["edge", "target"])).toBeUndefined();
    expect(suggest("quite-different", ["edge", "target"])).toBe("Write one of: edge, target.");
  });
});
