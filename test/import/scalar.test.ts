import fc from "fast-check";
import { FAILSAFE_SCHEMA, load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scalar } from "../../src/import/scalar.js";
import { text } from "./arbitrary.js";

const BLOCK = { flow: false, key: false, indent: "    " };
const FLOW = { flow: true, key: false, indent: undefined };
const KEY = { flow: false, key: true, indent: undefined };

describe("scalar", () => {
  it.each([
    ["plain", "plain"],
    ["no", "no"],
    ["1.10", "1.10"],
    ["10.1.1.1/24", "10.1.1.1/24"],
    ["two words", "two words"],
    ["*.example.com", '"*.example.com"'],
    ["corp\\nancy", "corp\\nancy"],
    ["@corp\\nancy", "'@corp\\nancy'"],
    [`it's "so"`, `it's "so"`],
    [`"it's so"`, `'"it''s so"'`],
    ["a: b", '"a: b"'],
    ["$${env:X}", '"$${env:X}"'],
    ["", '""'],
    [" x", '" x"'],
    ["a,b", "a,b"],
    ["cr\rhere", '"cr\\x0Dhere"'],
    ["a\u202eb\u2066", '"a\\u202Eb\\u2066"'],
    ["two\nlines", "|-\n    two\n    lines"],
    ["ends\n", "|+\n    ends"],
    [" first line\nsecond", "|2-\n     first line\n    second"],
    ["\n  second line\nthird", "|2-\n\n      second line\n    third"],
    ["column\tcolumn\nnext", "|-\n    column\tcolumn\n    next"],
    ["two at the end\n\n", "|+\n    two at the end\n"],
    ["only space\n \nin a line", '"only space\\x0A \\x0Ain a line"'],
  ])("%j is %j", (value, yaml) => {
    expect(scalar(value, BLOCK)).toBe(yaml);
  });

  it("depends on its context", () => {
    expect(scalar("a,b", FLOW)).toBe('"a,b"');
    expect(scalar("two\nlines", FLOW)).toBe('"two\\x0Alines"');
    expect(scalar("two\nlines", KEY)).toBe('"two\\x0Alines"');
  });

  it("is read back by both readers, in every place", () => {
    fc.assert(
      fc.property(text, (value) => {
        const documents: [string, (tree: Record<string, unknown>) => unknown][] = [
          [`a:\n  b: ${scalar(value, BLOCK)}\n  c: d\n`, (tree) => (tree.a as Record<string, unknown>).b],
          [`a: { b: ${scalar(value, FLOW)}, c: [${scalar(value, FLOW)}, x] }\n`, (tree) => (tree.a as Record<string, unknown>).b],
          [`a: [x, ${scalar(value, FLOW)}]\n`, (tree) => (tree.a as unknown[])[1]],
        ];
        if (value.length < 900)
          documents.push([`a: [{ ${scalar(value, { ...FLOW, key: true })}: 1 }]\n`, (tree) => keys((tree.a as object[])[0])]);
        if (value.length < 900) documents.push([`${scalar(value, KEY)}: 1\n`, keys]);
        for (const [yaml, pick] of documents) {
          expect(pick(load(yaml, { schema: FAILSAFE_SCHEMA }) as Record<string, unknown>), `js-yaml on ${yaml}`).toBe(value);
          expect(pick(parse(yaml, { schema: "failsafe" }) as Record<string, unknown>), `yaml on ${yaml}`).toBe(value);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function keys(map: object | undefined): string {
  return Object.getOwnPropertyNames(map).join();
}
