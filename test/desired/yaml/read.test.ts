import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Problems } from "../../../src/desired/problems.js";
import { SourceFile } from "../../../src/desired/source-file.js";
import { readYaml } from "../../../src/desired/yaml/read.js";

function read(text: string) {
  const problems = new Problems();
  const doc = readYaml(new SourceFile("a.yaml", text), problems);
  return { doc, codes: problems.errors.map(({ code }) => code) };
}

it.each([
  ["an apostrophe in single quotes", "a: 'it''s'\n", "it's"],
  ["escapes in double quotes", 'a: "\\"b\\\\c"\n', '"b\\c'],
  ["a block with blank and indented lines", "a: |\n  b\n\n    # c\n  d\n\n# e\nf: g\n", "b\n\n  # c\nd\n"],
  ["a block without its last line break", "a: |-\n b\n", "b"],
  ["a folded block", "a: >\n  b\n  c\n", "b c\n"],
  ["text on two lines", "a: b\n  c\n", "b c"],
  ["a missing value", "a:\nb: c\n", ""],
])("reads %s", (_, text, value) => {
  const { doc, codes } = read(text);
  expect(codes).toEqual([]);
  expect(doc?.text(doc.after(doc.first(doc.root)))).toBe(value);
});

it("reads items that start on their own line, at their offsets", () => {
  const text = "a:\n  - # first\n    b: c\n  -\n    - d\n";
  const { doc } = read(text);
  const list = doc?.get(doc.root, "a") ?? 0;
  const item = doc?.first(list) ?? 0;
  expect(doc?.kind(item)).toBe("map");
  expect(doc?.text(doc.get(item, "b") ?? 0)).toBe("c");
  const second = doc?.after(item) ?? 0;
  expect(doc?.kind(second)).toBe("sequence");
  expect(doc?.offset(doc.first(second))).toBe(text.indexOf("d"));
});

it.each([
  ["a key twice", "a: b\nc: d\na: e\n", "duplicate-key"],
  ["a key twice, once in quotes", "{a: b, 'a': c}\n", "duplicate-key"],
  ["a merge key", "a: &x { b: c }\nd: { <<: *x }\n", "yaml-merge-key"],
  ["a second document", "a: b\n---\nc: d\n", "several-documents"],
  ["too many levels", `a: ${"[".repeat(120)}${"]".repeat(120)}\n`, "document-does-not-parse"],
])("refuses %s", (_, text, code) => {
  expect(read(text).codes).toContain(code);
});

it("reads each document of the example", () => {
  const names = readdirSync("desired-state", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(read(readFileSync(join("desired-state", name), "utf8")).codes, name).toEqual([]);
});
