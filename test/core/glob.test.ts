import fc from "fast-check";
import picomatch from "picomatch";
import { expect, it } from "vitest";
import { compileGlob, GlobError } from "../../src/core/glob.js";

it.each([
  ["*.md", "README.md", true],
  ["*.md", "edge/README.md", false],
  ["**/*.md", "README.md", true],
  ["**/*.md", "edge/deep/README.md", true],
  ["edge/**", "edge/a/b.yaml", true],
  ["edge/**/b.yaml", "edge/b.yaml", true],
  ["edge/*/b.yaml", "edge/b.yaml", false],
  ["{lab,test}/*.xml", "test/a.xml", true],
  ["a{b,{c,d}e}f", "adef", true],
  ["a{b,{c,d}e}f", "acf", false],
  ["[a-c]?[!x]", "bzy", true],
  ["[a-c]?[!x]", "bzx", false],
  [".*", ".hidden", true],
  ["*", ".hidden", true],
  ["no😀?", "no😀😀", true],
  ["**", "a/b/c", true],
  ["a**b", "axxb", true],
  ["a**b", "a/b", false],
])("%s on %s: %s", (pattern, name, matches) => {
  expect(compileGlob(pattern)(name)).toBe(matches);
});

it.each(["**/@(a*)*b", "!edge/**", "a\\*b", "[abc", "{a,b", "a}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])("refuses %s", (pattern) => {
  expect(() => compileGlob(pattern)).toThrow(GlobError);
});

it("matches the same paths as picomatch", () => {
  const letter = fc.constantFrom("a", "b", ".", "1");
  const part = fc.array(fc.oneof(letter, fc.constantFrom("*", "?", "[ab]", "[^a]", "{a,b1}")), { minLength: 1, maxLength: 5 });
  const pattern = fc.array(
    fc.oneof(
      part.map((each) => each.join("")),
      fc.constant("**"),
    ),
    { minLength: 1, maxLength: 4 },
  );
  const name = fc.array(fc.array(letter, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(pattern, name, (parts, names) => {
      const glob = parts.join("/");
      // Here `**` is the same as `*`. Globs of Node treat it specially, and also parts that start with a dot.
      fc.pre(!/\*\*[^/]|[^/]\*\*|(^|\/)\.|\{\.|\/\*\*$|^\*\*$/.test(glob) && names.every((each) => each[0] !== "."));
      const text = names.map((each) => each.join("")).join("/");
      expect({ glob, text, matches: compileGlob(glob)(text) }).toEqual({ glob, text, matches: picomatch(glob, { dot: true })(text) });
    }),
    { numRuns: 5000 },
  );
});

it("terminates for patterns that make a backtracking matcher hang", () => {
  expect(compileGlob(`${"*a".repeat(200)}b`)("a".repeat(4000))).toBe(false);
  expect(compileGlob(`${"**/a/".repeat(100)}b`)("a/".repeat(1000))).toBe(false);
});
