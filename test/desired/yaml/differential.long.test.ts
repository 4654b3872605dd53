import fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { fastRead, slowRead } from "./values.js";

/** Pieces from which hostile documents are put together. */
const PIECES = [
  ..."abc:-?[]{},#'\"\\&*!|>%@~=\t".split(""),
  ..."\n,\n,\n  ,\n    , ,  ,: ,- ,c: ,d:,&a ,*a,*a ,|-\n,>+\n,|2\n,---,\n---\n,...,\n...\n,? , # c\n,null,'',\"\",'x',\"y\",!t ,e f,1.0,\r\n,x: y\n,- z\n".split(
    ",",
  ),
  "é",
  "\ufeff",
  "k: [p, q]\n",
  "m: {n: o}\n",
  '"a\n b"',
  "'a\n\n b'",
  "a\n b",
  "\\n",
  "\\x41",
];
const STARTS = ["", "k: ", "k:\n  ", "k:\n- ", "k: [", "k: {", "- "];

const hostile = fc
  .tuple(fc.constantFrom(...STARTS), fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 10 }))
  .map(([start, pieces]) => start + pieces.join(""));

/** Values as people and `plumbline import` write them: names, addresses, texts with anything printable. */
const word = fc.oneof(
  fc.constantFrom("any", "no", "1.10", "0123", "2026-01-01", "~", "null", "*.example.com", "corp\\alice", "a: b", "x #y", "- z", "<<", ""),
  fc.string({ maxLength: 12 }),
  fc.stringMatching(/^[a-z0-9 ._/-]{1,12}$/),
);
const tree: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof({ depthSize: "small" }, word, tie("map"), tie("list")),
  map: fc.dictionary(
    fc.stringMatching(/^[a-zA-Z0-9._/ -]{1,10}$/).map((key) => `k${key}`),
    tie("node"),
    { minKeys: 1, maxKeys: 6 },
  ),
  list: fc.array(tie("node"), { minLength: 1, maxLength: 5 }),
})).map;

const RUNS = { numRuns: process.env.PLUMBLINE_SOAK === "1" ? 300_000 : 3_000 };

describe("the fast reader and the yaml package", () => {
  it("give the same meaning to every hostile text that the fast one accepts", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const fast = fastRead(text);
        if ("meaning" in fast) expect(slowRead(text)).toEqual(fast);
      }),
      RUNS,
    );
  });

  it.each([
    ["yaml's plain styles", (value: unknown) => stringify(value, { lineWidth: 0 })],
    ["yaml's folded lines", (value: unknown) => stringify(value, { lineWidth: 30 })],
    ["yaml's flow style", (value: unknown) => stringify(value, { collectionStyle: "flow", lineWidth: 60 })],
    ["yaml's single quotes", (value: unknown) => stringify(value, { singleQuote: true, defaultStringType: "QUOTE_SINGLE" })],
    ["js-yaml's dump", (value: unknown) => dump(value, { lineWidth: 40 })],
  ])("read %s alike", (_, write) => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = write(value);
        const fast = fastRead(text);
        const slow = slowRead(text);
        // Values that no configuration can have, probable mistakes, and lines that look like markers are refused intentionally.
        if ("refused" in fast) {
          const onPurpose = ["control-character", "backslash-in-quotes", "document-does-not-parse", "several-documents", "yaml-tag"];
          expect(onPurpose).toContain(fast.refused[0]);
          fc.pre(false);
        }
        expect(fast).toEqual(slow);
      }),
      { numRuns: 400, maxSkipsPerRun: 20 },
    );
  });

  it.each([
    ["a tag", "a: !!int 1\n", "yaml-tag"],
    ["a merge key", "a: &x { b: c }\nd: { <<: *x }\n", "yaml-merge-key"],
    ["a duplicate key", "a: 1\na: 2\n", "duplicate-key"],
    ["a duplicate key among many", `${Array.from({ length: 40 }, (_, i) => `k${i}: x\n`).join("")}k7: y\n`, "duplicate-key"],
    ["two documents", "a: 1\n---\nb: 2\n", "several-documents"],
    ["an end of document", "a: 1\n...\n", "several-documents"],
    ["a map as a key", "{ a: b }: c\n", "document-does-not-parse"],
    ["an alias of nothing", "a: *b\n", "unknown-alias"],
    ["an alias inside its own anchor", "a: &x [ *x ]\n", "unknown-alias"],
    ["an anchor on a key", "a: &x b: c\n", "yaml-tag"],
    ["a key behind a quoted item", 'k:\n- "y"d: z\n', "document-does-not-parse"],
    ["an item below its dash", "k:\n- \n#c\n b\n- d\n", "document-does-not-parse"],
    ["a tab before a key", "k:\n\ta: b\n", "document-does-not-parse"],
    ["a byte order mark inside", "a: \ufeffb\n", "control-character"],
    ["101 levels", `${"[".repeat(101)}${"]".repeat(101)}`, "document-does-not-parse"],
  ])("refuses %s", (_, text, code) => {
    expect(fastRead(text)).toHaveProperty("refused");
    expect((fastRead(text) as { refused: string[] }).refused).toContain(code);
  });

  it("removes a byte order mark and keeps CR LF lines", () => {
    expect(fastRead("a: |-\r\n  x\r\n  y\r\nb: z\r\n")).toEqual({
      meaning: {
        map: [
          ["a", "x\ny"],
          ["b", "z"],
        ],
      },
    });
  });

  it("keeps keys in file order, also keys that look like numbers or prototypes", () => {
    expect(fastRead("10: a\n9: b\n__proto__: c\nconstructor: d\n")).toEqual({
      meaning: {
        map: [
          ["10", "a"],
          ["9", "b"],
          ["__proto__", "c"],
          ["constructor", "d"],
        ],
      },
    });
  });
});
