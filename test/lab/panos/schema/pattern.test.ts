import { describe, expect, it } from "vitest";
import { PathRules } from "../../../../src/lab/panos/schema/pattern.js";

const matches = (pattern: string, path: string): boolean => new PathRules([[pattern, true]]).first(path) === true;

describe("patterns of paths", () => {
  it.each([
    ["address", "address", true],
    ["address", "address-group", false],
    ["address|service/tag", "service/tag", true],
    ["address|service/tag", "zone/tag", false],
    ["profiles/*/description", "profiles/virus/description", true],
    ["profiles/*/description", "profiles/virus/rules/description", false],
    ["network/interface/**/units", "network/interface/units", true],
    ["network/interface/**/units", "network/interface/ethernet/layer3/units", true],
    ["**/password|secret", "a/b/secret", true],
    ["rules/profiles/*", "rules/profiles/virus", true],
  ])("%s and %s: %s", (pattern, path, expected) => expect(matches(pattern, path)).toBe(expected));

  it("returns the values of all matching rules in the order of the table", () => {
    const rules = new PathRules([
      ["a|b/c", 1],
      ["**/c", 2],
      ["x/c", 3],
    ]);
    expect(rules.all("a/c")).toEqual([1, 2]);
    expect(rules.first("x/c")).toBe(2);
    expect(rules.first("x/d")).toBeUndefined();
  });
});
