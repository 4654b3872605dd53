import { expect, it } from "vitest";
import { readTagFilter } from "../../../../src/targets/panos/policy/tag-filter.js";

it.each([
  ["'a'", ["a"], true],
  ["a and b", ["a"], false],
  ["'a' or 'b' and 'c'", ["a"], true],
  ["('a' or 'b') and 'c'", ["a"], false],
  ["('a' or \"b\") AND 'c d'", ["b", "c d"], true],
])("%s of %j", (text, tags, expected) => {
  expect(readTagFilter(text)?.(new Set(tags))).toBe(expected);
});

it.each(["", "'a' and", "('a'", "not 'a'", "'a' 'b'", "'a"])("%j is not a supported filter", (text) => {
  expect(readTagFilter(text)).toBeUndefined();
});
