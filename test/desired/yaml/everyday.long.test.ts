import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { Problems } from "../../../src/desired/problems.js";
import { SourceFile } from "../../../src/desired/source-file.js";
import { YamlDocument } from "../../../src/desired/yaml/document.js";
import { readEveryday } from "../../../src/desired/yaml/everyday.js";
import { readEvents, readYaml } from "../../../src/desired/yaml/read.js";

const SOAK = process.env.PLUMBLINE_SOAK === "1";

/** All that the loader can ask of each node. */
function answers(doc: YamlDocument): unknown[] {
  const all: unknown[] = [];
  for (let node = doc.root; node < doc.after(doc.root); node++)
    if (doc.ends(node)) all.push(["end", doc.offset(node)]);
    else {
      const kind = doc.kind(node);
      const [text, isPlain] = kind === "scalar" ? [doc.text(node), doc.isPlain(node)] : [];
      all.push([
        kind,
        doc.offset(node),
        doc.after(node) - node,
        text,
        isPlain,
        doc.isLeftOut(node),
        doc.beginsWithDollar(node),
        doc.keepsLineBreaks(node),
      ]);
    }
  return all;
}

/** True where the reader of everyday documents takes a text; then js-yaml and the checks must say nothing else of it. */
function takes(text: string): boolean {
  const problems = new Problems();
  const nodes = readEveryday(text);
  // Control characters and markers are refused before any of the two is asked.
  if (nodes === undefined || readYaml(new SourceFile("a.yaml", text), problems) === undefined) return false;
  const doc = readEvents(new SourceFile("a.yaml", text), problems);
  expect(problems.errors.map(({ message }) => message)).toEqual([]);
  expect(answers(new YamlDocument(text, nodes))).toEqual(answers(doc as YamlDocument));
  return true;
}

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("any", "no", "10.0.0.0/8", "$partial", "${env:A}", "corp\\alice", "x y", "-a", "a:b", "a#b", "1"),
  },
  { weight: 1, arbitrary: fc.constantFrom("a: b", "x #y", "#", "- z", "it's", '"', "[", "<<", "", "two\nlines", "é") },
);
const key = fc.constantFrom("a", "b", "$c", "d e", "f.g", "h-i", "10", "j", "k", "l", "m", "n", "o", "p", "q", "r");
const tree = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: word }, tie("map"), tie("list")),
  map: fc.dictionary(key, tie("node"), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  list: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
})).map;
const WRITERS: readonly ((value: unknown) => string)[] = [
  (value) => stringify(value, { lineWidth: 0 }),
  (value) => stringify(value, { lineWidth: 0, indentSeq: false }),
  (value) => stringify(value, { collectionStyle: "flow", lineWidth: 40 }),
  (value) => stringify(value, { singleQuote: true, defaultStringType: "QUOTE_SINGLE", lineWidth: 0 }),
  (value) => dump(value, { flowLevel: 2, lineWidth: -1 }),
  (value) => `---\n# head\n\n${dump(value, { lineWidth: -1, seqNoIndent: true })}`,
];
const written = fc.tuple(tree, fc.constantFrom(...WRITERS)).map(([value, write]) => write(value));

const PIECES = [
  ..." \n:#-,[]{}'\"?&*!|>%@`\\$ab",
  "  ",
  "\n  ",
  "\n    ",
  ": ",
  " #",
  "- ",
  "\n- ",
  "---\n",
  "\n---\n",
  "...",
  "<<: ",
  "{}",
  "[]",
  "''",
  '\\"',
  "\\n",
  "|\n",
  "|-\n",
  "\t",
  "\r\n",
  "é",
  "\u2028",
  "\u0085",
];
/** A text with one to four places changed. */
const slip = fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.oneof(fc.constantFrom(...PIECES), fc.constant(""))), { minLength: 1, maxLength: 4 });
const slipped = fc.tuple(written, slip).map(([text, slips]) =>
  slips.reduce((changed, [place, length, piece]) => {
    const at = place % (changed.length + 1);
    return changed.slice(0, at) + piece + changed.slice(at + length);
  }, text),
);

describe("the reader for simple documents", () => {
  it("reads many real documents, with the same result as js-yaml", () => {
    let taken = 0;
    const runs = SOAK ? 20_000 : 600;
    fc.assert(
      fc.property(written, (text) => {
        if (takes(text)) taken++;
      }),
      { numRuns: runs },
    );
    expect(taken).toBeGreaterThan(runs / 4);
  });

  it("leaves unusual or invalid documents to js-yaml", () => {
    let taken = 0;
    fc.assert(
      fc.property(slipped, (text) => {
        if (takes(text)) taken++;
      }),
      { numRuns: SOAK ? 1_000_000 : 3_000 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  it("reads pieces in any order with the same result as js-yaml", () => {
    const lines = ["k: v\n", "k: |\n", "- |-\n", "  text\n", " - x\n", "k: [a, b]\n", "- {a: b}\n", "k:\n", "l: 'x'\n", "  m: n\n"];
    const pieces = fc.array(fc.constantFrom(...PIECES, ...lines), { maxLength: 9 });
    fc.assert(
      fc.property(pieces, (all) => void takes(all.join(""))),
      { numRuns: SOAK ? 1_000_000 : 3_000 },
    );
  });

  it("reads each document of the example", () => {
    const folder = join(import.meta.dirname, "../../../desired-state");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
    const left = names.filter((name) => !takes(readFileSync(join(folder, name), "utf8")));
    expect(names.length).toBeGreaterThan(0);
    expect(left).toEqual([]);
  });

  it.each([
    ["an apostrophe in single quotes", "a: 'it''s'\n", "it's"],
    ["escapes in double quotes", 'a: "\\"b\\\\c"\n', '"b\\c'],
    ["lines as they stand", "a: |\n  b\n\n    # c\n  d\n\n# e\nf: g\n", "b\n\n  # c\nd\n"],
    ["lines as they stand, without the last line break", "a: |-\n b\n", "b"],
  ])("takes %s", (_, text, value) => {
    expect(takes(text)).toBe(true);
    const nodes = readEveryday(text);
    const doc = nodes && new YamlDocument(text, nodes);
    expect(doc?.text(doc.after(doc.first(doc.root)))).toBe(value);
  });

  it("reads items that start on their own line", () => {
    expect(takes("a:\n  - # first\n    b: c\n  -\n    - d\n    - |\n      e\n    - 'f''g'\n")).toBe(true);
  });

  it.each([
    ["a key twice", "a: b\nc: d\na: e\n"],
    ["a key twice, once in quotes", "{a: b, 'a': c}\n"],
    ["a key twice among many", `${Array.from({ length: 40 }, (_, at) => `k${at}: x\n`).join("")}k7: y\n`],
    ["a merge key", "<<: a\n"],
    ["a text of two lines", "a: b\n  c\n"],
    ["an escape that few write", 'a: "b\\x41"\n'],
    ["an escape in a key", "'it''s': b\n"],
    ["a block that says its indentation", "a: |2\n  b\n"],
    ["a block that keeps its last lines", "a: |+\n  b\n\n"],
    ["a block of folded lines", "a: >\n  b\n  c\n"],
    ["a block with nothing in it", "a: |\nb: c\n"],
    ["a block with spaces on a line of their own", "a: |\n  b\n   \n  c\n"],
    ["a block that ends in no line break", "a: |\n  b"],
    ["a value left out", "a:\nb: c\n"],
    ["a second document", "a: b\n---\nc: d\n"],
    ["too many levels", `a: ${"[".repeat(90)}${"]".repeat(90)}\n`],
  ])("does not take %s", (_, text) => {
    expect(readEveryday(text)).toBeUndefined();
  });
});
