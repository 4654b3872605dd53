import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { applied } from "./changed-sources.js";

const file = "test/changed-sources.ts";

it("replaces a text that occurs once, also in a text that an earlier replacement changed", () => {
  const replacements = [
    { file, from: 'name: "changed-sources"', to: 'name: "other"' },
    { file, from: 'name: "other"', to: 'name: "third"' },
  ];
  expect(applied(replacements).get(resolve(file))).toBe(readFileSync(file, "utf8").replace('name: "changed-sources"', 'name: "third"'));
});

it.each([
  ["is missing", "no such text", "0 times"],
  ["occurs twice", "const changed = ", "2 times"],
])("refuses a text that %s, with its file and the number", (_, from, times) => {
  expect(() => applied([{ file, from, to: "" }])).toThrow(new RegExp(`${file}.*${times}[^]*${from}`));
});
